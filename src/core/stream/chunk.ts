import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import { isRecord } from '../../schemas/record.ts';

/**
 * Narrows a parsed event to a chunk: the hot path of a stream, so by hand. What a chunk may leave out is filled in;
 * everything else stays as sent. Undefined when it is no chunk.
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
    typeof (value.content ?? '') === 'string' &&
    (value.tool_calls === undefined || isCallList(value))
  );
}

function isCallList(delta: Record<string, unknown>): boolean {
  delta.tool_calls ??= [];
  return Array.isArray(delta.tool_calls) && delta.tool_calls.every(isCall);
}

function isCall(value: unknown, position: number): boolean {
  if (!isRecord(value)) return false;
  value.index ??= position;
  return Number.isInteger(value.index) && isRecord(value.function ?? {});
}

/** Whether an event tells an error in place of a chunk; `error: null` is nothing special. */
export function isErrorEvent(value: unknown): boolean {
  return isRecord(value) && (value.error ?? false) !== false;
}
