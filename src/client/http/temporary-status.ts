/**
 * Whether a request that costs nothing, such as a poll or a download, may succeed later after a response with this
 * status: a timeout, a rate limit or an outage. It does not matter whether the request was carried out.
 */
export const isTemporary = (status: number): boolean =>
  status >= 500 || [408, 429].includes(status);
