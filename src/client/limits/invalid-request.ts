import type { Outcome } from '../../errors/base.ts';

/**
 * Whether an error response rejects the request itself as invalid, so that no request with this key and this body was
 * ever charged, not even one whose response was lost. Other rejections, such as a 401, a 402, a 403 or a 429, depend on
 * the API key, the balance, a firewall or the moment, and say nothing about an earlier request. A 404 with the code
 * `task_not_found` proves nothing either: the task that was paid for may no longer exist.
 */
export function isInvalidRequest({ outcome, status, code }: ErrorResponse): boolean {
  return outcome === 'rejected' && [400, 404, 422].includes(status) && code !== 'task_not_found';
}

interface ErrorResponse {
  readonly outcome?: Outcome | undefined;
  readonly status: number;
  readonly code?: string | undefined;
}
