import type {
  AssistantMessage,
  Chat,
  ChatCompletionMessage,
  ChatMessage,
  ChatParams,
  ChatUsage,
  ContentPart,
  PolygateError,
  RunOptions,
  RunParams,
} from 'polygate';

import { unchecked } from '../../../wire/types/schema.ts';
import type { KeyValueStorage } from './stored-value.ts';

/** A client with chat completions: `Polygate` or `ChatClient`. */
export interface ChatGateway {
  /** Chat completions. */
  readonly chat: Chat;
}

/** Options of `useChat`: the params of each request, without the messages, and where the conversation is stored. */
export interface ChatOptions<Arguments extends readonly unknown[] = readonly unknown[]>
  extends
    Omit<ChatParams, 'messages' | 'stream' | 'tools'>,
    Pick<RunOptions, 'maxRounds' | 'onToolError'> {
  /** Names the conversation in the storage. Without it, nothing is stored. */
  id?: string | undefined;
  /**
   * Where the conversation is stored. Ignored without `id`.
   * @defaultValue `localStorage`, or none where there is none
   */
  storage?: KeyValueStorage | undefined;
  /** Messages that a new conversation starts with, such as instructions for the model. */
  messages?: readonly ChatMessage[] | undefined;
  /** Tools that the model can call. They are executed in the page, as `chat.completions.run` does. */
  tools?: RunParams<Arguments>['tools'] | undefined;
}

/** A message of a conversation. */
export type ChatEntry = ChatMessage & {
  /** Whether the response was cut off or stopped. It is sent back as it is, unless `retry()` replaces it. */
  incomplete?: boolean | undefined;
};

/** The content of a message: text or parts. */
export type ChatInput = string | readonly ContentPart[];

/** What a component shows of a conversation. Never modified. */
export interface ChatSnapshot {
  /** The conversation so far, including the part of a response that has arrived. */
  readonly messages: readonly ChatEntry[];
  /** Whether a response is streaming, or the last one failed. */
  readonly status: 'idle' | 'streaming' | 'error';
  /** Why the last response failed. `outcome` says whether it may have been charged. */
  readonly error: (Error & Partial<Pick<PolygateError, 'outcome'>>) | undefined;
  /**
   * Messages that a reload loses, or shows without the parts that did not fit, such as pictures, because the storage is
   * full or denied. Empty without `id`.
   */
  readonly unstored: readonly ChatEntry[];
  /** Token usage of the last response. */
  readonly usage: ChatUsage | undefined;
}

/** The conversation as it is sent. Parts of responses are sent only if they have content. */
export const toRequest = (messages: readonly ChatEntry[]): ChatMessage[] =>
  messages
    .filter(({ incomplete, content }) => !incomplete || content?.length)
    .map(({ incomplete: _, ...message }) => message);

/** The messages of a response: those that are complete, and what has arrived of the next one. */
export const toMessages = (
  complete: readonly ChatMessage[],
  partial: ChatCompletionMessage | undefined,
): ChatEntry[] => (partial ? [...complete, unchecked<ChatEntry>(partial)] : [...complete]);

/** The messages of a response that has ended. Calls of tools that were not executed cannot be sent back. */
export function closeMessages(
  complete: readonly ChatMessage[],
  partial: ChatCompletionMessage | undefined,
): ChatEntry[] {
  const all = toMessages(complete, partial);
  const { tool_calls: calls, ...last } = unchecked<AssistantMessage>(all.at(-1) ?? {});
  if (!partial && !calls?.length) return all;
  const { role: _, ...fields } = last;
  const hasContent = Object.values(fields).some(
    (value) => value && (!Array.isArray(value) || value.length > 0),
  );
  return [...all.slice(0, -1), ...(hasContent ? [{ ...last, incomplete: true }] : [])];
}
