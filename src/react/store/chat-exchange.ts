import type { ChatStream, ToolRunProgress } from 'polygate';

import { toRequest } from './chat-state.ts';
import type { toMessages, ChatEntry } from './chat-state.ts';

/**
 * A response that is being requested, and the conversation that it belongs to. With tools, it takes several streams.
 */
export interface ChatExchange {
  readonly controller: AbortController;
  /**
   * The conversation that is sent. Undefined until the stored one has been read, which must not be replaced by less.
   */
  history?: readonly ChatEntry[];
  received?: {
    /** The latest stream. */
    readonly stream: ChatStream;
    /** Its index in the rounds of the run. */
    readonly index: number;
    readonly run: ToolRunProgress;
  };
}

/** The conversation with what has arrived of the response. */
export function messagesOf(
  { history = [], received }: ChatExchange,
  compose: typeof toMessages,
): readonly ChatEntry[] {
  if (!received) return history;
  const { stream, index, run } = received;
  const partial = run.rounds.length > index ? undefined : stream.partial?.choices[0]?.message;
  const added = run.messages.slice(toRequest(history).length);
  return [...history, ...compose(added, partial)];
}
