import type { ResponseMeta } from '../schemas/meta.ts';
import { PolygateError } from './base.ts';

/**
 * A hook threw an error, which is the `cause`. The call ends without a retry. If an `afterResponse` hook threw, the
 * request was carried out: `meta` and `task` are those of the response.
 */
export class HookError extends PolygateError {
  static override readonly className: string = 'HookError';
  /** Metadata of the response; undefined if a `beforeRequest` hook threw. */
  declare readonly meta?: ResponseMeta;
}
