import type { StreamError } from '../../errors/chat.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import type { CallErrors } from '../call/errors.ts';
import { hasError } from '../http/failure.ts';
import { parseJson, singleLine } from '../http/json.ts';
import type { StreamEvent } from './event-decoder.ts';
import { isCertainFailure, isFailure } from './failure-record.ts';

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

/** What the log says about an event that was a status. */
export function ignoredStatus({ data = '' }: StreamEvent): string {
  return `A streamed chat: received ${singleLine(data)}, which was ignored, because the chat continued.`;
}

/** The item of a list of one: some services send their errors in a list. */
function itemOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** What is wrong with an event that has no data. */
export function tooLargeProblem(maxEventBytes: number): string {
  return `an event exceeds maxEventBytes (${maxEventBytes})`;
}
