import { APIError, AuthenticationError } from '../../../errors/responses.ts';
import {
  canSucceedLater,
  failedRow,
  isKeyMissing,
  slotRejectionOf,
} from '../../../internal/row-driver.ts';
import type { Move } from './step.ts';

/** Whether there is no valid API key: the service rejects it, or the function that returns it fails. */
export const lacksKey = (error: unknown): boolean =>
  AuthenticationError.is(error) || isKeyMissing(error);

/** Whether the service has rejected the request for good, so that there is no point in repeating it. */
export const isRejected = (error: unknown): boolean =>
  APIError.is(error) && !canSucceedLater(error);

/**
 * How a row ends whose submission was not accepted, if it ends. Its error, which the row also keeps if it waits, says
 * what is known about all submissions. `mayBeCharged`: an earlier one may have been charged.
 */
export const endOfUnaccepted = (error: unknown, mayBeCharged: boolean, isChat: boolean) =>
  failedRow(
    {
      hasTask: false,
      mayBeCharged,
      isRecorded: true,
      isChargedOnce: !isChat,
      isPauseReason: false,
    },
    error,
  );

/** The delay that the service has requested, in ms. */
export function retryAfterOf(error: unknown): number | undefined {
  const response = slotRejectionOf(error) ?? error;
  return APIError.is(response) ? response.retryAfterMs : undefined;
}

/** The limit that a response reports; a hint if a submission reports none. */
export function reportedLimit(error: unknown): Move['limit'] {
  const slotRejection = slotRejectionOf(error);
  const response = slotRejection ?? error;
  const limit = APIError.is(response) ? response.meta.concurrency.limit : undefined;
  return limit ?? (slotRejection && 'less');
}
