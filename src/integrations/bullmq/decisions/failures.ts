import { PolygateError } from '../../../errors/base.ts';
import { APIError } from '../../../errors/responses.ts';
import { canSucceedLater, slotRejectionOf } from '../../../internal.ts';

/** Whether there is no valid API key: the service rejects it, or the function that returns it fails. */
export const lacksKey = (error: unknown): boolean =>
  PolygateError.is(error) && error.reason === 'api-key';

/** Whether the service has rejected the request for good, so that there is no point in repeating it. */
export const isRejected = (error: unknown): boolean =>
  APIError.is(error) && !canSucceedLater(error);

/** The delay that the service has requested, in ms. */
export function retryAfterOf(error: unknown): number | undefined {
  const response = slotRejectionOf(error) ?? error;
  return APIError.is(response) ? response.retryAfterMs : undefined;
}

/** The limit that a response reports; a hint if a submission reports none. */
export function reportedLimit(error: unknown): number | 'less' | undefined {
  const slotRejection = slotRejectionOf(error);
  const response = slotRejection ?? error;
  const limit = APIError.is(response) ? response.meta.concurrency.limit : undefined;
  return limit ?? (slotRejection && 'less');
}

/**
 * How long a worker takes no jobs after a row for which no slot was free, in ms, so that polls which become due come
 * first.
 */
export const slotPause = 200;

/** How long a worker takes no jobs after a row that the paused queue may not submit, in ms. */
export const pauseTime = 500;

/** Why a row may not submit now. */
export type Refusal =
  /** No slot is free, or the budget may cover the row when others have ended. */
  | 'full'
  /** The budget has changed since the decision about the row was made from it. */
  | 'changed'
  | 'paused'
  /** The queue is paused because its budget was exceeded, and it does not cover the row. */
  | 'used-up'
  /** The budget does not cover the row, so that the queue pauses now. */
  | 'exceeded'
  /** The row is no longer waiting, or has changed since it was read. */
  | 'gone';

/** Whether a row may submit, and why not. */
export type Admission =
  | { readonly admitted: true; readonly turn: string }
  | {
      readonly admitted: false;
      readonly reason: Refusal;
      /** Why the budget does not cover the row, if it is `exceeded` or `used-up`. */
      readonly problem?: string | undefined;
    };

/** When a refused row tries again, in ms; undefined if that would not help. */
export function retryDelayAfter(reason: Refusal): number | undefined {
  switch (reason) {
    case 'full':
      return 25;
    case 'changed':
      // Short, because each change lets another row submit, but not 0: many processes may be trying.
      return 5;
    case 'paused':
    case 'used-up':
    case 'exceeded':
    case 'gone':
      return undefined;
  }
}

/** How long a worker takes no jobs after it has returned a refused row to the queue, in ms. */
export const workerPauseAfter = (reason: Exclude<Refusal, 'gone'>): number =>
  reason === 'full' || reason === 'changed' ? slotPause : pauseTime;
