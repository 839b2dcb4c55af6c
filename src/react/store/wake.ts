/** Where events are dispatched. Mobile apps have a `window` without them. */
type Target = Partial<EventTarget> | undefined;

/**
 * Calls `listener` when the browser is online again, when the page is shown again, and when it was frozen. The returned
 * function stops that.
 */
export function onWake(listener: () => void): () => void {
  const { window, document }: { window?: Target; document?: Target & Partial<Document> } =
    globalThis;
  const wake = ({ type, persisted }: Event & { persisted?: boolean }) => {
    // A page that is loaded, rather than restored, is shown too.
    if (document?.visibilityState !== 'hidden' && (type !== 'pageshow' || persisted)) listener();
  };
  const targets = [
    [window, 'online'],
    [window, 'pageshow'],
    [document, 'visibilitychange'],
    [document, 'resume'],
  ] as const;
  for (const [target, name] of targets) target?.addEventListener?.(name, wake);
  return () => {
    for (const [target, name] of targets) target?.removeEventListener?.(name, wake);
  };
}
