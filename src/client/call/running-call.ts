import type { Span } from '../config/caller.ts';
import type { Part } from '../http/part.ts';
import type { Reservation } from '../limits/ledger.ts';
import type { ApiCall, CallLimits } from './call.ts';
import type { ClientContext } from './context.ts';
import type { CallErrors } from './errors.ts';
import type { CallHistory } from './history.ts';
import type { Fallback, CheckedOptions } from './request-options.ts';
import type { ResponseHandler } from './response.ts';

/** A call that is ready to be sent. Later changes to the caller's params and options do not affect it. */
export interface PreparedCall {
  readonly call: ApiCall;
  readonly options: CheckedOptions;
  /** The other models to which it may be sent. */
  readonly fallback?: Fallback | undefined;
  /** The parts of the client that have to be loaded before it is sent. */
  readonly parts?: readonly Part<unknown>[] | undefined;
  /** Completes the body with what the parts provide. */
  readonly completeBody?: (() => Promise<string>) | undefined;
}

/** A call in progress. Only its history changes. */
export interface RunningCall<Result> {
  readonly context: ClientContext;
  readonly call: ApiCall;
  readonly options: CheckedOptions;
  /** Reads a successful response. */
  readonly handle: ResponseHandler<Result>;
  readonly history: CallHistory;
  readonly errors: CallErrors;
  readonly span: Span | undefined;
  /** Its ledger entry, if it costs money. */
  readonly reservation: Reservation | undefined;
  readonly limits: CallLimits;
  /** When it began, on the monotonic clock. */
  readonly startedAt: number;
}
