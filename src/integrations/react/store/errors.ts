import type { Generation } from 'polygate';

import type { LifeStep } from '../../../paid/life.ts';
import { unchecked } from '../../../wire/types/schema.ts';

/**
 * Why a call was refused. Nothing was started and nothing was sent.
 *
 * - `generation_pending`, `chat_pending`: wait for the end, or call `stop()` first.
 * - `outcome_unknown`: an earlier request with other params may have been charged. Call `resume()` to get its result, or
 *   `reset()` to forget it.
 * - `params_not_stored`: call `generate()` with the same params, or `reset()`.
 * - `invalid_params`: the params cannot be written as JSON.
 * - `not_stored`: the storage is full or denied, or there is no `id`, and `requireStorage` is set.
 * - `nothing_to_resume`: there is no generation, or its task has ended.
 * - `nothing_to_retry`: the last response is complete.
 */
export type RefusalCode =
  | 'generation_pending'
  | 'outcome_unknown'
  | 'params_not_stored'
  | 'invalid_params'
  | 'not_stored'
  | 'nothing_to_resume'
  | 'chat_pending'
  | 'nothing_to_retry';

/** The error of a call that was refused. */
export function refusal(code: RefusalCode | LifeStep): Error & { code: string } {
  const message = `Nothing was started: ${code.replaceAll('_', ' ')}.`;
  return Object.assign(new Error(message), { code });
}

/** What the error of a request says that was sent again. */
export const earlierCharge =
  'This request was not charged, but an earlier one may have been. Call resume() to send it again.';

/** Any thrown value as an error. */
export const toError = (value: unknown): Error =>
  value instanceof Error ? value : new Error(String(value));

/** The error of a task that has failed, as it is shown after a reload. */
export function failureOf({ error }: Generation): Error | undefined {
  return (
    error && Object.assign(new Error(error.message), { name: 'TaskFailedError', code: error.code })
  );
}

/**
 * Whether a wait that has failed can start again later. Lost polls do not end a wait, so no connection means that the
 * part of the client that waits could not be loaded, for example because the browser is offline.
 */
export function canWaitLater(error: unknown): boolean {
  const { name } = unchecked<{ name?: unknown }>(Object(error));
  return name === 'ConnectionError' || name === 'RequestTimeoutError';
}
