import type {
  ChatEntry,
  ChatGateway,
  ChatInput,
  ChatOptions,
  ChatSnapshot,
} from './store/chat-state.ts';
import { ChatStore } from './store/chat-store.ts';
import type { ChatSettings } from './store/chat-store.ts';
import { useClient, useStore } from './use-store.ts';

/** What `useChat` returns. */
export interface UseChat extends ChatSnapshot {
  /**
   * Sends a message, text or parts. Call it in an event handler, never in an effect. Resolves when the response has
   * ended, to its message, or to undefined after a failure or a stop; see `error`.
   *
   * Rejects with the `code` `chat_pending` while a response is streaming.
   */
  send: (input: ChatInput) => Promise<ChatEntry | undefined>;
  /** Ends the response. What has arrived stays in `messages`, with `incomplete: true`. */
  stop: () => void;
  /**
   * Requests a response again after it failed or was stopped. The new response replaces the incomplete one. It is a new
   * request with a new charge: `error.outcome` says whether the last one may have been charged as well.
   *
   * Rejects with the `code` `chat_pending`, or `nothing_to_retry` if the last response is complete.
   */
  retry: () => Promise<ChatEntry | undefined>;
}

/**
 * A conversation with a model, whose responses stream. Unmounting the component aborts the stream.
 *
 * @example
 * ```tsx
 * const { messages, send, status } = useChat(gateway, { model: 'some-chat-model' });
 * ```
 */
export function useChat<Arguments extends readonly unknown[] = readonly unknown[]>(
  gateway: ChatGateway,
  options: ChatOptions<Arguments>,
): UseChat {
  useClient(gateway);
  const settings: ChatSettings = { ...options, gateway };
  return useStore('chat', options.id, settings, ChatStore, (store) => ({
    send: (input) => store().send(input),
    stop: () => store().stop(),
    retry: () => store().retry(),
  }));
}
