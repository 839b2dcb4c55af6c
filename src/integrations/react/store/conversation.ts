import type { ChatStream, ToolRunProgress } from 'polygate';

import { unchecked } from '../../../wire/types/schema.ts';
import { isNonEmptyString } from '../../../wire/types/type-guards.ts';
import type { ChatEntry, toMessages } from './chat-state.ts';
import { toRequest } from './chat-state.ts';
import { randomKey } from './entry.ts';

/**
 * A message and its id. Sorted as texts, ids are in the order of the conversation, which is the same in all tabs. The
 * id of a question is its turn: a number, and a random text that distinguishes it from turns of other tabs with this number.
 * The messages of a response have its turn, and a prefix of the same kind that distinguishes it from other responses.
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

/** Gives ids to the messages of a response, or to other messages after a prefix. */
export const numbered = (messages: readonly ChatEntry[], prefix = `${first}//`): Numbered[] =>
  messages.map((message, index) => [`${prefix}${first + index}`, message]);

/** Whether a message is one that a conversation starts with. They are the same in all tabs. */
export const isInitial = (id: string): boolean => /\/\/\d+$/.test(id);

/** The turn after the last message. */
export const nextTurn = (last = '', nonce = randomKey()): string =>
  `${(Number.parseInt(last, 10) || first) + 1}/${nonce}/`;

/** The turn of a message. */
export const turnOf = (id: string): string => /^[^/]*\/[^/]*\//.exec(id)?.[0] ?? '';

/** The prefix of another response in the turn of a message. */
export const nextResponse = (last: string): string => turnOf(last) + nextTurn(last.split('/')[2]);

/** Messages in the order of the conversation. */
export const sorted = (messages: Iterable<Numbered>): Numbered[] =>
  [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * The conversation that a retry sends: without the response that is incomplete, and with completed tool calls. Undefined if
 * it is complete.
 */
export function withoutIncomplete(messages: readonly Numbered[]): Numbered[] | undefined {
  const end = messages.findLastIndex(([, { incomplete }]) => !incomplete) + 1;
  const role = messages[end - 1]?.[1].role;
  return role === 'user' || role === 'tool' ? messages.slice(0, end) : undefined;
}

const sizeOf = (piece: unknown): number => JSON.stringify(piece).length;

/** How much a tab or the storage has of a message. Responses can be incomplete, and parts left out. */
const completenessOf = (message: ChatEntry | undefined): number =>
  message ? sizeOf(message) + (message.incomplete ? 0 : 1e12) : 0;

/** Whether a message has more than another version of it. */
export const isFuller = (message: ChatEntry, other: ChatEntry | undefined): boolean =>
  completenessOf(message) > completenessOf(other);

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

/** The stored messages by id. Those without one are looked up in `mine`, in this order, or else follow it. */
export function byId(
  { messages, ids = [] }: StoredChat,
  mine: readonly Numbered[],
): Map<string, ChatEntry> {
  const texts = mine.map(([, message]) => JSON.stringify(message));
  let next = 0;
  const added = numbered(messages, nextTurn(mine.at(-1)?.[0], '0.3'));
  return new Map(
    added.map(([newId, message], index) => {
      const id = ids[index];
      if (id && ids.length === messages.length) return [id, message];
      const found = texts.indexOf(JSON.stringify(message), next);
      next = Math.max(next, found + 1);
      return [mine[found]?.[0] ?? newId, message];
    }),
  );
}

function partsOf({ content }: ChatEntry): readonly object[] {
  const parts: readonly object[] = Array.isArray(content) ? content : [];
  return parts;
}

/** Whether the storage has a part of a message. */
const hasPart = (stored: ChatEntry | undefined, part: object): boolean =>
  JSON.stringify(stored ?? 0).includes(JSON.stringify(part));

/**
 * Stores as much of a conversation as fits: without its largest new parts, such as pictures, and new messages. What is
 * stored is never left out. Returns the ids of messages that do not fit. Rejects if nothing can be stored.
 */
export async function storeWhatFits(
  messages: readonly Numbered[],
  stored: ReadonlyMap<string, ChatEntry>,
  store: (kept: readonly Numbered[], lost: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  // Calls of tools cannot be sent without the results that follow them.
  const groups: [Numbered, ...Numbered[]][] = [];
  for (const each of messages) {
    if (each[1].role === 'tool') groups.at(-1)?.push(each);
    else groups.push([each]);
  }
  const droppable = groups.flatMap((group): readonly object[] => {
    const [[id, message]] = group;
    const parts = partsOf(message);
    if (parts.length > 0) return parts.filter((part) => !hasPart(stored.get(id), part));
    return group.some(([key, each]) => isFuller(each, stored.get(key))) ? [group] : [];
  });
  // Several messages can have the same part.
  const pieces = [...new Set(droppable)].toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const dropped = new Set<object>();
  for (;;) {
    const kept = groups.flatMap((group) => withoutPieces(group, dropped, stored));
    const left = new Map(kept);
    const lost = messages.flatMap(([id, message]) => (isFuller(message, left.get(id)) ? [id] : []));
    try {
      await store(kept, lost);
      return lost;
    } catch (error) {
      const next = pieces[dropped.size];
      if (!next) throw error;
      dropped.add(next);
    }
  }
}

/** A message, and the results of its calls, without what was dropped and is not stored. */
function withoutPieces(
  group: readonly [Numbered, ...Numbered[]],
  dropped: ReadonlySet<object>,
  stored: ReadonlyMap<string, ChatEntry>,
): readonly Numbered[] {
  const [[id, message], ...results] = group;
  if (dropped.has(group)) {
    return group.flatMap(([key]): Numbered[] => {
      const theirs = stored.get(key);
      return theirs ? [[key, theirs]] : [];
    });
  }
  const parts = partsOf(message);
  const content = parts.filter((part) => !dropped.has(part) || hasPart(stored.get(id), part));
  if (content.length === parts.length) return group;
  return content.length > 0
    ? [[id, unchecked<ChatEntry>({ ...message, content })], ...results]
    : [];
}

/** Where a response belongs in the conversation. */
export interface Place {
  /** The prefix of the ids of its messages. */
  readonly prefix: string;
  /** The conversation that is sent. */
  readonly history: readonly ChatEntry[];
}

/** A response that is being requested. With tools, it takes several streams. */
export interface ChatExchange {
  readonly controller: AbortController;
  /** Undefined until the stored conversation has been read, which must not be replaced by less. */
  place?: Place;
  received?: {
    /** The latest stream. */
    readonly stream: ChatStream;
    /** Its index in the rounds of the run. */
    readonly index: number;
    readonly run: ToolRunProgress;
  };
}

/** What has arrived of the response. */
export function responseOf(
  { place, received }: ChatExchange,
  compose: typeof toMessages,
): Numbered[] {
  if (!place || !received) return [];
  const { stream, index, run } = received;
  const partial = run.rounds.length > index ? undefined : stream.partial?.choices[0]?.message;
  const added = run.messages.slice(toRequest(place.history).length);
  return numbered(compose(added, partial), place.prefix);
}
