import type { Generation } from 'polygate';

/** Why a call was refused. Nothing was started and nothing was sent. */
export type RefusalCode =
  | 'generation_pending'
  | 'outcome_unknown'
  | 'params_not_stored'
  | 'invalid_params'
  | 'nothing_to_resume'
  | 'chat_pending'
  | 'nothing_to_retry';

const messages: Readonly<Record<RefusalCode, string>> = {
  generation_pending: 'A generation is pending. Wait for it, or call stop() first.',
  outcome_unknown:
    'An earlier request may have been charged, and its params were different. Call resume() to get its result, or reset() to forget it.',
  params_not_stored:
    'The params were not stored (storeParams: false). Call generate() with the same params, or reset().',
  invalid_params: 'The params cannot be written as JSON.',
  nothing_to_resume: 'There is no generation to resume.',
  chat_pending: 'A response is streaming. Wait for it, or call stop() first.',
  nothing_to_retry: 'The last response is complete, so there is nothing to retry.',
};

/** The error of a call that was refused. */
export function refusal(code: RefusalCode): Error & { code: RefusalCode } {
  return Object.assign(new Error(messages[code]), { code });
}

/** Any thrown value as an error. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

/** The error of a task that has failed, as it is shown after a reload. */
export function failureOf({ status, error }: Generation): Error | undefined {
  if (status !== 'failed') return undefined;
  return Object.assign(new Error(error.message), { name: 'TaskFailedError', code: error.code });
}
