import type { ChatStream, ToolRunProgress } from 'polygate';

import { toRequest } from './chat-state.ts';
import type { toMessages, ChatEntry } from './chat-state.ts';
import { numbered } from './conversation.ts';
import type { Numbered } from './conversation.ts';

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
