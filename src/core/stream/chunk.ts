import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import { unchecked } from '../../types/schema.ts';
import { isRecord } from '../../types/type-guards.ts';
import type { CallErrors } from '../call/failure/errors.ts';

/**
 * The chunk in the parsed data of an event; undefined if there is none. Missing fields that have a default are filled in;
 * all other fields stay as sent. The checks are written by hand because they run for every chunk, and reject only what
 * would lose content: the stream has been paid for.
 */
export function normalizeChunk(value: unknown): ChatCompletionChunk | undefined {
  if (!isRecord(value) || !isListOf((value.choices ??= []), normalizeChoice)) return undefined;
  return unchecked<ChatCompletionChunk>(value);
}

/**
 * Whether a stream without `[DONE]` is proven complete: it has all choices that were requested, and each of them has a
 * finish reason.
 */
export function isComplete(finishReasons: readonly unknown[], choiceCount: number): boolean {
  return finishReasons.length >= Math.max(1, choiceCount) && finishReasons.every(Boolean);
}

/** The error for a stream that is not. `error` is set if the connection broke. */
export function truncated(errors: CallErrors, error: unknown): StreamTruncatedError {
  const summary = 'The stream was truncated';
  return errors.bodyInterrupted(StreamTruncatedError, summary, 'it ended without [DONE]', error);
}

function normalizeChoice(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return normalizeDelta((value.delta ??= {})) && Number.isInteger((value.index ??= 0));
}

function normalizeDelta(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value.tool_calls === null) value.tool_calls = [];
  return (
    (typeof (value.content ?? '') === 'string' || Array.isArray(value.content)) &&
    isListOf(value.tool_calls ?? [], isToolCall)
  );
}

/** Whether a value is a fragment of a tool call. The accumulator fills in a missing index. */
function isToolCall(value: unknown): boolean {
  return isRecord(value) && Number.isInteger(value.index ?? 0) && isRecord(value.function ?? {});
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

/** Whether the parsed data of an event reports an error. A chunk may carry `error: null`. */
export function isErrorEvent(value: unknown): boolean {
  return isRecord(value) && (value.error ?? false) !== false;
}
