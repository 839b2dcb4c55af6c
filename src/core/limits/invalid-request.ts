import type { Outcome } from '../../errors/base.ts';

/**
 * Whether an error response rejects the request itself as invalid, so that no request with this body was ever charged, not
 * even one whose response was lost. Other rejections, such as a 401, a 402, a 403 or a 429, depend on the API key, the
 * balance, a firewall or the moment, and say nothing about an earlier request.
 */
export function isInvalidRequest({ outcome, status }: ErrorResponse): boolean {
  return outcome === 'rejected' && [400, 404, 422].includes(status);
}

interface ErrorResponse {
  readonly outcome?: Outcome | undefined;
  readonly status: number;
}
