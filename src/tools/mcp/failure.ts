import type { FailureContext } from '../cli/failure.ts';

/** A call has failed, with what is known about its charge. */
export class CallFailure extends Error {
  /** What has happened. */
  override readonly cause: unknown;
  readonly context: FailureContext;

  constructor(cause: unknown, context: FailureContext) {
    super('The call has failed.', { cause });
    this.cause = cause;
    this.context = context;
  }
}
