import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { choiceError, failureTexts, hasError, parseErrorBody } from '../http/failure.ts';

/**
 * Whether a record reports that the service failed, in any form that {@link parseErrorBody} reads: a choice with an error,
 * or a record without choices whose fields name an error, or that has a message, no usage and nothing that says what else it
 * is. The last kind {@link isCertainFailure may be a status}.
 */
export function isFailure(value: unknown, data: string): boolean {
  if (!isRecord(value)) return false;
  if (isCertainFailure(value)) return true;
  const { choices, usage } = value;
  if (choices != null && !(Array.isArray(choices) && choices.length === 0)) return false;
  return usage == null && !namesOther(value) && parseErrorBody(data).message !== undefined;
}

/**
 * Whether a record can be nothing but a failure. A record with only a message is a status where the chat continues after it, and
 * a failure where it does not.
 */
export function isCertainFailure(record: Record<string, unknown>): boolean {
  const { choices } = record;
  if (Array.isArray(choices) && choices.length > 0) return choiceError(record) !== undefined;
  return (choices == null || Array.isArray(choices)) && namesFailure(record);
}

function namesFailure(record: Record<string, unknown>): boolean {
  const { object, type, event, level, status, success, ok, code, error_code } = record;
  const { errors, fault, response, base_resp: base } = record;
  return (
    success === false ||
    ok === false ||
    [object, type, event, level, status].some(isFailureWord) ||
    [status, code].some((number) => Number(number) >= 400 && !isSuccessCode(number)) ||
    (Array.isArray(errors) && errors.length > 0) ||
    (!isSuccessCode(error_code) && failureTexts.some((name) => isNonEmptyString(record[name]))) ||
    hasError({ error: fault }) ||
    (isRecord(response) && hasError(response)) ||
    (isRecord(base) && Boolean(base.status_code))
  );
}

function isFailureWord(value: unknown): boolean {
  return typeof value === 'string' && /(^|[._-])(error|failed|failure|exception)$/i.test(value);
}

/** Whether a record with a message says that it reports no failure, but progress or success. */
function namesOther(record: Record<string, unknown>): boolean {
  const { type, event, status, level, success, code, error_code } = record;
  const words = [type, event, status, level].filter(isNonEmptyString);
  return (
    success === true ||
    [code, error_code].some(isSuccessCode) ||
    words.some((word) => progress.test(word))
  );
}

function isSuccessCode(code: unknown): boolean {
  return /^(0|200|20000|ok|success)$/i.test(String(code));
}

const progress =
  /^(status|progress|info|log|notice|warning|debug|queued?|pending|running|thinking|processing|in_progress|ok|success|completed?|done)$/i;
