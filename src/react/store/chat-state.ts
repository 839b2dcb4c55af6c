import type {
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

import { unchecked } from '../../types/schema.ts';
import { isRecord } from '../../types/type-guards.ts';
import { refusal } from './errors.ts';
import type { KeyValueStorage } from './slot-storage.ts';

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
  /** Token usage of the last response. */
  readonly usage: ChatUsage | undefined;
}

/** The conversation as it is sent. Parts of responses are sent only if they have content. */
export const toRequest = (messages: readonly ChatEntry[]): ChatMessage[] =>
  messages
    .filter(({ incomplete, content }) => !incomplete || (content && content.length > 0))
    .map((entry) => {
      const { incomplete: _, ...message } = entry;
      return message;
    });

/** The conversation that a retry sends: without the response that is incomplete, and with completed tool calls. */
export function withoutIncomplete(messages: readonly ChatEntry[]): readonly ChatEntry[] {
  const end = messages.findLastIndex(({ incomplete }) => !incomplete) + 1;
  const role = messages[end - 1]?.role;
  if (role !== 'user' && role !== 'tool') throw refusal('nothing_to_retry');
  return messages.slice(0, end);
}

/** The messages of a response that has ended early. Calls of tools that were not executed cannot be sent back. */
export function closeMessages(
  complete: readonly ChatMessage[],
  partial: ChatCompletionMessage | undefined,
): ChatEntry[] {
  const all: ChatEntry[] = partial ? [...complete, toMessage(partial)] : [...complete];
  const last = all.pop();
  if (last === undefined) return [];
  const hasCalls = last.role === 'assistant' && 'tool_calls' in last && last.tool_calls?.length;
  if (!partial && !hasCalls) return [...all, last];
  const { tool_calls: _, ...rest }: ChatEntry & { tool_calls?: unknown } = last;
  const empty = JSON.stringify([[], null, '']);
  const hasContent = Object.entries(rest).some(
    ([name, value]) => name !== 'role' && !empty.includes(JSON.stringify(value)),
  );
  return hasContent ? [...all, { ...unchecked<ChatEntry>(rest), incomplete: true }] : all;
}

/** A received message can be sent as it is. */
export const toMessage = (message: ChatCompletionMessage): ChatMessage => unchecked(message);

/** The stored form of a conversation. */
export const serializeMessages = (messages: readonly ChatEntry[]): string =>
  JSON.stringify({ v: 1, messages });

/** Parses a stored conversation. Undefined if it is none. */
export function parseMessages(text: string): readonly ChatEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const messages = isRecord(value) && value.v === 1 ? value.messages : undefined;
    const isValid =
      Array.isArray(messages) &&
      messages.every((message) => isRecord(message) && typeof message.role === 'string');
    return isValid ? unchecked(messages) : undefined;
  } catch {
    return undefined;
  }
}
