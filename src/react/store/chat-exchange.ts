import type { ChatStream, ToolRunProgress } from 'polygate';

import { toRequest } from './chat-state.ts';
import type { toMessages, ChatEntry } from './chat-state.ts';
import { idOf } from './conversation.ts';
import type { Numbered } from './conversation.ts';

/** Where a response belongs in the conversation. */
export interface Place {
  /** Its turn. */
  readonly turn: string;
  /** The number of its first message in the turn. */
  readonly firstIndex: number;
  /** The conversation that is sent. */
  readonly history: readonly ChatEntry[];
}

/** A response that is being requested. With tools, it takes several streams. */
export interface ChatExchange {
  readonly controller: AbortController;
  /** Tells its messages from those of another tab that retries the same turn. */
  readonly nonce: string;
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
  { place, nonce, received }: ChatExchange,
  compose: typeof toMessages,
): Numbered[] {
  if (!place || !received) return [];
  const { stream, index, run } = received;
  const { turn, firstIndex, history } = place;
  const partial = run.rounds.length > index ? undefined : stream.partial?.choices[0]?.message;
  const added = run.messages.slice(toRequest(history).length);
  return compose(added, partial).map((message, i) => [idOf(turn, firstIndex + i, nonce), message]);
}
