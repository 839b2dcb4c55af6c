import type { ChatCompletionChunk, ChatCompletion } from '../../wire/types/chat/completion.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { hasError, isFailedChoice } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import {
  isDone,
  isErrorEvent,
  isFailure,
  isKeepAliveRecord,
  isKeepAliveWord,
} from './other-events.ts';
import type { StreamEvent } from './other-events.ts';

/**
 * The chunk of an event; undefined if the event is anything else. A choice with a complete message in place of a delta has no
 * delta yet, and `onMessage` is called: see {@link CompleteMessages}.
 */
export function parseChunk(
  received: StreamEvent,
  onMessage?: () => void,
): ChatCompletionChunk | undefined {
  const { data, event } = received;
  // `[DONE]` is no JSON. The error of the parser takes longer than a chunk.
  if (data === undefined || isErrorEvent(event) || isDone(received)) return undefined;
  const value = parseJson(data);
  if (!isRecord(value) || (value.error != null && hasError(value))) return undefined;
  const { choices } = value;
  const isChunk =
    Array.isArray(choices) && choices.length > 0
      ? normalizeChoices(choices, value, onMessage)
      : isWithoutChoices(value, data, event);
  return isChunk ? unchecked<ChatCompletionChunk>(value) : undefined;
}

/** Whether a record without choices is a chunk, such as one with the usage. */
function isWithoutChoices(
  chunk: Record<string, unknown>,
  data: string,
  event: string | undefined,
): boolean {
  if (!Array.isArray((chunk.choices ??= []))) return false;
  if (event !== undefined && isKeepAliveWord(event)) return false;
  return !isKeepAliveRecord(chunk) && !isFailure(chunk, data);
}

/**
 * Checks the choices of a chunk. Missing fields that have a default are filled in; all other fields stay as sent. The checks
 * are written by hand because they run for every chunk, and reject only what would lose content: the stream has been paid
 * for.
 */
function normalizeChoices(
  choices: readonly unknown[],
  chunk: Record<string, unknown>,
  onMessage: (() => void) | undefined,
): boolean {
  for (const choice of choices) {
    if (!isRecord(choice)) return false;
    if (onlyAddsText(choice)) continue;
    if (!normalizeChoice(choice, chunk, onMessage)) return false;
  }
  return true;
}

/** Whether a choice only adds text, as most do. Nothing else has to be checked then. */
function onlyAddsText(choice: Record<string, unknown>): boolean {
  const { delta, finish_reason: reason, error, usage } = choice;
  if (reason || error || usage || !isRecord(delta)) return false;
  const { content, tool_calls: calls } = delta;
  const isText = typeof content === 'string' && content !== '' && calls === undefined;
  return isText && Number.isInteger(choice.index);
}

function normalizeChoice(
  choice: Record<string, unknown>,
  chunk: Record<string, unknown>,
  onMessage: (() => void) | undefined,
): boolean {
  // Some services send the usage inside the choice.
  if (choice.usage != null) chunk.usage ??= choice.usage;
  if (choice.error != null && isFailedChoice(choice)) return false;
  const { message, text } = choice;
  if (message != null || text != null) {
    if (typeof text !== 'string' && !(isRecord(message) && isDelta(message))) {
      return normalizeDelta(choice);
    }
    if (isEmptyDelta(choice.delta)) {
      choice.delta = undefined;
      onMessage?.();
      return Number.isInteger((choice.index ??= 0));
    }
  }
  return normalizeDelta(choice);
}

function normalizeDelta(choice: Record<string, unknown>): boolean {
  return isDelta((choice.delta ??= {})) && Number.isInteger((choice.index ??= 0));
}

function isDelta(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value.tool_calls === null) value.tool_calls = [];
  return (
    (typeof (value.content ?? '') === 'string' || Array.isArray(value.content)) &&
    isListOf(value.tool_calls ?? [], isToolCall)
  );
}

/** Whether a choice has no delta, or one that adds nothing but a role. */
function isEmptyDelta(delta: unknown): boolean {
  return (
    delta == null ||
    (isRecord(delta) && Object.entries(delta).every(([name, value]) => name === 'role' || !value))
  );
}

/** Whether a value is a fragment of a tool call. The accumulator fills in a missing index. */
function isToolCall(value: unknown): boolean {
  return isRecord(value) && Number.isInteger(value.index ?? 0) && isRecord(value.function ?? {});
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

/**
 * The choices of a stream that sends messages, or texts, in place of deltas. They are used where no delta came: some
 * services repeat the complete message in the last chunk.
 */
export class CompleteMessages {
  /** The choices whose content came in messages. Later messages continue them. */
  readonly #indexes = new Set<number>();

  /** Adds the deltas that `parseChunk` has left out. `readPartial` returns what the chunks before have added up to. */
  addDeltas({ choices }: ChatCompletionChunk, readPartial: () => ChatCompletion | undefined): void {
    for (const choice of choices) {
      if (choice.delta !== undefined) continue;
      const { index, message, text, finish_reason: reason } = choice;
      const fields = Object.entries(isRecord(message) ? message : { content: text });
      const partial = readPartial()?.choices.find((other) => other.index === index)?.message ?? {};
      const received: Record<string, unknown> = partial;
      if (Object.entries(received).every(([name, value]) => name === 'role' || isEmpty(value))) {
        this.#indexes.add(index);
      }
      const added = this.#indexes.has(index)
        ? fields.filter(([name, value]) => !reason || received[name] !== value)
        : fields.filter(([name]) => isEmpty(received[name]));
      choice.delta = unchecked(Object.fromEntries(added));
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}
