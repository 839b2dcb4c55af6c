import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { choiceError, parseErrorBody } from '../http/error-body.ts';

/**
 * Whether a record reports that the service failed, in any form that {@link parseErrorBody} reads: a choice with an error,
 * or a record without choices whose fields name an error, or that has a message, no usage and nothing that says what else it
 * is.
 */
export function isFailure(value: unknown, data: string): boolean {
  if (!isRecord(value)) return false;
  const { choices, usage } = value;
  if (Array.isArray(choices) && choices.length > 0) return choiceError(value) !== undefined;
  if (choices != null && !Array.isArray(choices)) return false;
  if (namesFailure(value)) return true;
  return usage == null && !namesOther(value) && parseErrorBody(data).message !== undefined;
}

function namesFailure({
  object,
  type,
  status,
  success,
  code,
  errors,
  error_message,
  base_resp: base,
}: Record<string, unknown>): boolean {
  return (
    success === false ||
    [object, type, status].some(isFailureWord) ||
    [status, code].some((number) => Number(number) >= 400 && !isSuccessCode(number)) ||
    (Array.isArray(errors) && errors.length > 0) ||
    isNonEmptyString(error_message) ||
    (isRecord(base) && Boolean(base.status_code))
  );
}

function isFailureWord(value: unknown): boolean {
  return typeof value === 'string' && /(^|[._-])(error|failed|failure|exception)$/i.test(value);
}

/** Whether a record with a message says that it reports no failure, but progress or success. */
function namesOther({ type, event, status, level, success, code }: Record<string, unknown>) {
  const words = [type, event, status, level].filter(isNonEmptyString);
  return success === true || isSuccessCode(code) || words.some((word) => progress.test(word));
}

function isSuccessCode(code: unknown): boolean {
  return /^(0|200|20000|ok|success)$/i.test(String(code));
}

const progress =
  /^(status|progress|info|log|notice|warning|debug|queued?|pending|running|thinking|processing|in_progress|ok|success|completed?|done)$/i;
