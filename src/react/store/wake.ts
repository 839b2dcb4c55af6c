/** Calls `listener` when the browser is online again, and when the page is shown again, until the signal aborts. */
export function onWake(listener: () => void, signal: AbortSignal): void {
  // Mobile apps have a `window` without events.
  const { window, document }: { window?: Partial<EventTarget>; document?: Document } = globalThis;
  window?.addEventListener?.('online', listener, { signal });
  const onChange = () => {
    if (document?.visibilityState === 'visible') listener();
  };
  document?.addEventListener('visibilitychange', onChange, { signal });
}
