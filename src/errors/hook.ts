import type { ResponseMeta } from '../wire/types/meta.ts';
import { PolygateError } from './base.ts';

/**
 * A hook threw an error, which is the `cause`, or returned a response whose body has already been
 * read. The call ended without a retry.
 * If a `beforeRequest` hook failed, `outcome` is `not-sent`, unless an earlier attempt of the call may have been charged.
 * If an `afterResponse` hook failed, the service had already responded: see `meta` and `task`.
 */
export class HookError extends PolygateError {
  static override readonly className: string = 'HookError';

  /**
   * Metadata of the response that an `afterResponse` hook received, including the charge and the task id if the service
   * sent them.
   */
  declare readonly meta?: ResponseMeta;
}
