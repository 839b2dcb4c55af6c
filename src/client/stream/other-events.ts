import type { StreamError } from '../../errors/chat.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import type { CallErrors } from '../call/errors.ts';
import { choiceError, failureTexts, hasError, parseErrorBody } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** Missing if the event exceeds the limit. Nothing can be decoded after it. */
  readonly data?: string;
  /** The event type, if the event has one. */
  readonly event?: string | undefined;
}

/** Whether an event proves that the stream is complete. What follows it is ignored. */
export function isDone({ data }: StreamEvent): boolean {
  return data !== undefined && data.length < 50 && data.trim() === '[DONE]';
}

/** The words of events that only keep the connection open, in lower case and without punctuation and times. */
const keepAlive = /^(ping|pong|heartbeat|keepalive|null|(openrouter)?processing)$/;

/** Whether an event only keeps the connection open, judging by its type or by its data. */
export function isKeepAlive(received: StreamEvent): boolean {
  const { data, event } = received;
  if (data === undefined || isErrorEvent(event)) return false;
  if (event !== undefined && isKeepAliveWord(event)) return true;
  if (isDone(received)) return false;
  const value = parseJson(data);
  if (isRecord(value)) return isKeepAliveRecord(value);
  return !Array.isArray(value) && isKeepAliveWord(data);
}

/** Whether a record only keeps the connection open. */
export function isKeepAliveRecord({ type, event, object }: Record<string, unknown>): boolean {
  return [type, event, object].some((name) => isNonEmptyString(name) && isKeepAliveWord(name));
}

/** Whether a text is a word for such an event, such as `: keep-alive` or `PING 12:00:01`. */
export function isKeepAliveWord(text: string): boolean {
  if (text.length > 100) return false;
  const word = text.toLowerCase().replace(/\d[\dt:.+z-]*/g, '');
  return keepAlive.test(word.replace(/[\s\p{P}]+/gu, ''));
}

/** Whether the type of an event says that it reports an error. */
export function isErrorEvent(event: string | undefined): boolean {
  return event !== undefined && event.length === 5 && event.toLowerCase() === 'error';
}

/**
 * Whether an event reports an error as OpenAI-compatible services do: in its type, or in the field `error`. Any reader
 * finds it.
 */
export function isStandardError({ data = '', event }: StreamEvent): boolean {
  if (isErrorEvent(event)) return true;
  const value = itemOf(parseJson(data));
  return isRecord(value) && hasError(value);
}

/** The error that an event reports; undefined if it reports none. */
export function reportedError(call: CallErrors, event: StreamEvent): StreamError | undefined {
  const { data } = event;
  if (data === undefined) return undefined;
  const isError = isStandardError(event) || isFailure(itemOf(parseJson(data)), data);
  return isError ? call.streamErrorEvent(data) : undefined;
}

/**
 * Whether an event that reports an error may be a status: it has a message, and nothing names it a failure. It was a status if
 * the chat continues after it.
 */
export function mayBeStatus(event: StreamEvent): boolean {
  const value = itemOf(parseJson(event.data ?? ''));
  return isRecord(value) && !isStandardError(event) && !isCertainFailure(value);
}

/** The item of a list of one: some services send their errors in a list. */
function itemOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

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
function isCertainFailure(record: Record<string, unknown>): boolean {
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
