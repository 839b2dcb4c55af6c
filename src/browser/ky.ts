/**
 * Replaces ky in browser bundles, through the `browser` field of package.json. The client uses ky only to call the
 * given `fetch`, without retries. This stub does the same and saves 8 KB.
 */
export default function ky(
  _url: string,
  { fetch }: { readonly fetch: () => Promise<Response> },
): Promise<Response> {
  return fetch();
}
