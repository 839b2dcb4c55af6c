import type { PolygateError } from '../../../errors/base.ts';
import { ConnectionError } from '../../../errors/call.ts';
import { APIError, ResponseValidationError } from '../../../errors/responses.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { isTemporary } from '../../http/temporary-status.ts';

/**
 * Whether a failed poll reveals nothing about the task, so that the wait continues: no response, a service that is
 * overloaded or down, a record that is not found, or a body that is not a record. These are more failures than a call
 * retries, because a task that was paid for must not be given up. Up to two 404s in a row may mean that the record is
 * not replicated yet.
 *
 * Rows of a queue are polled until their deadline instead: `bullmq/decisions/poll.ts` says why.
 */
export function canPollLater(error: unknown, notFoundInRow: number): error is PolygateError {
  if (notFoundInRow > 2) return false;
  if (APIError.is(error)) return error.status === 404 || isTemporary(error.status);
  if (ResponseValidationError.is(error)) return !isInvalidRecord(error);
  return ConnectionError.is(error);
}

/**
 * Whether a poll has returned a record that is not valid, such as that of a task that has succeeded without a result.
 * Another poll would most likely return the same.
 */
export function isInvalidRecord(error: unknown): boolean {
  return ResponseValidationError.is(error) && isRecord(error.body);
}
