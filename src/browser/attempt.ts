/**
 * Stands in for `core/attempt.ts` in bundles for browsers, by the `browser` field of package.json. The client asks ky for
 * one bare attempt through a `fetch` of its own; there is nothing else of ky in it, and 8 KB less to load.
 */
export function attempt(
  _url: string,
  _method: string,
  send: () => Promise<Response>,
): Promise<Response> {
  return send();
}
