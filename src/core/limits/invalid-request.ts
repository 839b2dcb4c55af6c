/** The error response to a request. */
interface Rejection {
  readonly status: number;
  readonly code?: string | undefined;
}

/**
 * Whether a rejection shows that the request itself is invalid, so that no earlier request with this key and this body was
 * charged, either. A 403 does not show it, because a key can be disabled at any time. Neither does a 404 about a task: it
 * is what the key was charged for, and no longer exists.
 */
export function isInvalidRequest({ status, code }: Rejection): boolean {
  return [400, 404, 422].includes(status) && code !== 'task_not_found';
}
