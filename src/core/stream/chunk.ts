import type { StreamError } from '../../errors/stream.ts';
import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import { unchecked } from '../../types/schema.ts';
import { isRecord } from '../../types/type-guards.ts';
import type { CallErrors } from '../call/failure/errors.ts';
import { parseJson } from '../http/json.ts';
import type { StreamEvent } from './event-decoder.ts';

/** The chunk of an event; undefined if the event is anything else. */
export function parseChunk({ data, event }: StreamEvent): ChatCompletionChunk | undefined {
  if (data === undefined || event === 'error') return undefined;
  const value = parseJson(data);
  return isErrorRecord(value) ? undefined : normalizeChunk(value);
}

/**
 * The chunk in the parsed data of an event; undefined if there is none. Missing fields that have a default are filled in;
 * all other fields stay as sent. The checks are written by hand because they run for every chunk, and reject only what
 * would lose content: the stream has been paid for.
 */
function normalizeChunk(value: unknown): ChatCompletionChunk | undefined {
  if (!isRecord(value) || !isListOf((value.choices ??= []), normalizeChoice)) return undefined;
  return unchecked<ChatCompletionChunk>(value);
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

/** The error that an event reports; undefined if it reports none. */
export function reportedError(
  errors: CallErrors,
  { data, event }: StreamEvent,
): StreamError | undefined {
  if (data === undefined) return undefined;
  const isError = event === 'error' || isErrorRecord(parseJson(data));
  return isError ? errors.streamErrorEvent(data) : undefined;
}

/** What is wrong with an event that has no data. */
export function tooLargeProblem(maxEventBytes: number): string {
  return `an event exceeds maxEventBytes (${maxEventBytes})`;
}

/** Whether the parsed data of an event reports an error. A chunk may carry `error: null`. */
function isErrorRecord(value: unknown): boolean {
  return isRecord(value) && (value.error ?? false) !== false;
}
