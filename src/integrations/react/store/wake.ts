/** Calls `listener` at each event of the page, until the signal aborts. */
export function onPageEvent(
  name: string,
  listener: (event: Event & Partial<StorageEvent>) => void,
  signal: AbortSignal,
): void {
  // Mobile apps have a `window` without events.
  const { window }: { window?: Partial<EventTarget> } = globalThis;
  window?.addEventListener?.(name, listener, { signal });
}

/** Calls `listener` when the browser is online again, and when the page is shown again, until the signal aborts. */
export function onWake(listener: () => void, signal: AbortSignal): void {
  onPageEvent('online', listener, signal);
  // It bubbles from the document.
  onPageEvent('visibilitychange', () => !document.hidden && listener(), signal);
}
