import { unchecked } from '../../types/schema.ts';
import { isNonEmptyString } from '../../types/type-guards.ts';
import type { ChatEntry } from './chat-state.ts';

/**
 * A message and its id: the number of its turn, a random text that tells it from turns of other tabs with this number,
 * its number within the turn, and a random text that tells the responses of two retries apart. Sorted as texts, ids
 * are in the order of the conversation, which is the same in all tabs.
 */
export type Numbered = readonly [id: string, message: ChatEntry];

/** The stored form of a conversation. */
export interface StoredChat {
  readonly v: 1;
  readonly messages: readonly ChatEntry[];
  /** The ids of the messages. Versions before 0.4 stored none. */
  readonly ids?: readonly string[] | undefined;
  /** Ids of messages that did not fit, or not as a whole. */
  readonly cut?: readonly string[] | undefined;
  /** Ids of messages that are not to be stored again by a tab that still shows them. */
  readonly removed?: readonly string[] | undefined;
}

/** Numbers begin here, so that all have the same number of digits. */
const first = 1_000_000;

/** The id of a message of a turn, whose prefix is its number and random text. */
export const idOf = (turn: string, index: number, nonce: string): string =>
  `${turn}${first + index}/${nonce}`;

/** The prefix of the ids of a turn. */
export const turnOf = (id: string): string => /^[^/]*\/[^/]*\//.exec(id)?.[0] ?? '';

/** The messages that a conversation starts with. They are the same in all tabs. */
export const firstTurn = `${first}//`;

/** Gives ids to messages that have none. */
export const numbered = (messages: readonly ChatEntry[]): Numbered[] =>
  messages.map((message, index) => [idOf(firstTurn, index, ''), message]);

/** The turn after the last one. */
export const nextTurn = (last: string | undefined, nonce: string): string =>
  `${Number.parseInt(last ?? firstTurn, 10) + 1}/${nonce}/`;

/** The number in its turn of the message after `last`. */
export const nextIndex = (last: string): number => Number(last.split('/')[2]) + 1 - first;

/** Messages in the order of the conversation. */
export const sorted = (messages: Iterable<Numbered>): Numbered[] =>
  [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The conversation that a retry sends: without the response that is incomplete, and with completed tool calls. Undefined if it is complete. */
export function withoutIncomplete(messages: readonly Numbered[]): Numbered[] | undefined {
  const end = messages.findLastIndex(([, { incomplete }]) => !incomplete) + 1;
  const role = messages[end - 1]?.[1].role;
  return role === 'user' || role === 'tool' ? messages.slice(0, end) : undefined;
}

/** Parses a stored conversation. Undefined if it is none. */
export function parseChat(text: string): StoredChat | undefined {
  try {
    const chat = unchecked<StoredChat>(JSON.parse(text));
    const { v, messages, ids = [], cut = [], removed = [] } = chat;
    const texts = [ids, cut, removed, messages.map(({ role }) => role)];
    return v === 1 && texts.every((each) => each.every(isNonEmptyString)) ? chat : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores as much of a conversation as fits: without its largest messages and parts of messages, such as pictures. Never
 * stores fewer messages than `atLeast`, the number of those that are stored. Returns the ids of messages that do not
 * fit. Rejects if nothing can be stored.
 */
export async function storeWhatFits(
  messages: readonly Numbered[],
  removed: readonly string[],
  atLeast: number,
  set: (chat: StoredChat) => Promise<void>,
): Promise<readonly string[]> {
  const pieces = messages
    .flatMap(([, message]) => {
      const { content } = message;
      const parts: readonly object[] = Array.isArray(content) && content[0] ? content : [message];
      return parts.map((piece) => ({ piece, size: JSON.stringify(piece).length }));
    })
    .toSorted((a, b) => b.size - a.size);
  let cut: string[] | undefined;
  let problem: unknown;
  let [low, high, count] = [0, pieces.length, 0];
  while (low <= high) {
    const dropped = new Set(pieces.slice(0, count).map(({ piece }) => piece));
    const kept = withoutPieces(messages, dropped);
    const whole = new Set(kept.map(([, message]) => message));
    const lost = messages.flatMap(([id, message]) => (whole.has(message) ? [] : [id]));
    const isStored =
      kept.length >= Math.min(atLeast, messages.length) &&
      (await set({
        v: 1,
        messages: kept.map(([, message]) => message),
        ids: kept.map(([id]) => id),
        cut: lost,
        removed,
      }).then(
        () => true,
        (error: unknown) => void (problem = error),
      ));
    if (isStored) cut = lost;
    // Too much was dropped if it fits, or if too few messages remain.
    if (isStored || isStored === false) high = count - 1;
    else low = count + 1;
    count = (low + high) >> 1;
  }
  if (!cut) throw problem;
  return cut;
}

/** A conversation without some messages and parts of messages, and so that it can be sent. */
function withoutPieces(messages: readonly Numbered[], dropped: ReadonlySet<object>): Numbered[] {
  if (dropped.size === 0) return [...messages];
  const kept = messages.flatMap(([id, message]): Numbered[] => {
    const { content } = message;
    if (dropped.has(message)) return [];
    if (!Array.isArray(content)) return [[id, message]];
    const parts = content.filter((part: object) => !dropped.has(part));
    if (parts.length === content.length) return [[id, message]];
    return parts.length > 0 ? [[id, unchecked<ChatEntry>({ ...message, content: parts })]] : [];
  });
  const callsOf = ([, message]: Numbered) =>
    unchecked<{ tool_calls?: { id: string }[] }>(message).tool_calls ?? [];
  const resultOf = ([, message]: Numbered) =>
    message.role === 'tool' ? message.tool_call_id : undefined;
  // A call without its result cannot be sent, nor a result without its call.
  const results = new Set(kept.map(resultOf));
  const called = kept.filter((each) => callsOf(each).every(({ id }) => results.has(id)));
  const calls = new Set(called.flatMap((each) => callsOf(each).map(({ id }) => id)));
  return called.filter((each) => resultOf(each) === undefined || calls.has(resultOf(each) ?? ''));
}
