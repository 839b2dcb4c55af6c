import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import { isRecord } from '../../schemas/type-guards.ts';

/**
 * Returns the parsed data of an event as a chunk, or undefined if it is not a chunk. Missing fields that have a default
 * are filled in; all other fields stay as sent. The checks are written by hand because they run for every chunk, and
 * reject only what would lose content: the stream has been paid for.
 */
export function parseChunk(value: unknown): ChatCompletionChunk | undefined {
  return isChunk(value) ? value : undefined;
}

function isChunk(value: unknown): value is ChatCompletionChunk {
  if (!isRecord(value)) return false;
  value.choices ??= [];
  return Array.isArray(value.choices) && value.choices.every(isChoice);
}

function isChoice(value: unknown): boolean {
  if (!isRecord(value)) return false;
  value.delta ??= {};
  value.index ??= 0;
  return isDelta(value.delta) && Number.isInteger(value.index);
}

function isDelta(value: unknown): boolean {
  return (
    isRecord(value) &&
    (typeof (value.content ?? '') === 'string' || Array.isArray(value.content)) &&
    (value.tool_calls === undefined || hasToolCalls(value))
  );
}

function hasToolCalls(delta: Record<string, unknown>): boolean {
  delta.tool_calls ??= [];
  return Array.isArray(delta.tool_calls) && delta.tool_calls.every(isToolCall);
}

/** Whether a value is a fragment of a tool call. The accumulator fills in a missing index. */
function isToolCall(value: unknown): boolean {
  return isRecord(value) && Number.isInteger(value.index ?? 0) && isRecord(value.function ?? {});
}

/** Whether the parsed data of an event reports an error. A chunk may carry `error: null`. */
export function isErrorEvent(value: unknown): boolean {
  return isRecord(value) && (value.error ?? false) !== false;
}
