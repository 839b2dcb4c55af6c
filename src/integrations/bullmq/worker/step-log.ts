import type { Job } from 'bullmq';
import type { Polygate } from 'polygate';

import { contextOf } from '../../../internal.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import type { RowData } from '../stored-row.ts';

/** Logs that a step has failed and is repeated after `delayMs`. */
export function logFailedStep(
  gateway: Polygate,
  job: Job<RowData>,
  delayMs: number,
  error: unknown,
): void {
  contextOf(gateway).log.warn(
    () =>
      `row ${nameOf(job)}: a step failed and is repeated in ${delayMs / 1_000} s or later. ${textFor(error)}`,
  );
}

/** Logs that Redis does not let a row be submitted. */
export function logRejection(gateway: Polygate, id: string, error: unknown): void {
  contextOf(gateway).log.warn(
    () =>
      `row ${id}: Redis has rejected a command, so the row is submitted later. ${textFor(error)}`,
  );
}

/** Logs why the budget pauses the queue. */
export function logPause(gateway: Polygate, problem: string): void {
  contextOf(gateway).log.warn(() => `The queue pauses at its budget: ${problem}.`);
}

/** Logs an error that changes nothing for any row, such as one of a connection that is restored. */
export function logMinor(gateway: Polygate, what: string, error: unknown): void {
  contextOf(gateway).log.debug(() => `${what}. ${textFor(error)}`);
}

/** The id of a row. A job of another library can have any data. */
export const nameOf = ({ id, data }: Job<RowData>): string | undefined =>
  (isRecord(data) && textOf(data.id)) || id;

export const textFor = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
