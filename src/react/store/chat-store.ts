import type { ChatStream, ToolRunProgress } from 'polygate';

import { messagesOf } from './chat-exchange.ts';
import type { ChatExchange } from './chat-exchange.ts';
import {
  closeMessages,
  parseChat,
  toMessages,
  toRequest,
  withoutIncomplete,
} from './chat-state.ts';
import type {
  ChatEntry,
  ChatGateway,
  ChatInput,
  ChatOptions,
  ChatSnapshot,
  StoredChat,
} from './chat-state.ts';
import { refusal, toError } from './errors.ts';
import { oncePerFrame } from './frames.ts';
import { StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';
import { StoredValue } from './stored-value.ts';
import { onPageEvent } from './wake.ts';

/** The options of a component, and its client. */
export interface ChatSettings extends ChatOptions {
  readonly gateway: ChatGateway;
}

/** A conversation. A response streams while there is a subscriber. */
export class ChatStore extends StoreBase<ChatSnapshot, ChatSettings> {
  readonly #storage: StoredValue<StoredChat>;
  readonly #draw = oncePerFrame(() => {
    const exchange = this.#exchange;
    if (exchange?.history) this.show({ messages: messagesOf(exchange, toMessages) });
  });
  #exchange: ChatExchange | undefined;
  #loading: Promise<void> | undefined;

  constructor(storageKey: string | undefined, settings: SettingsRef<ChatSettings>) {
    const { messages = [], storage } = settings.current;
    super({ messages, status: 'idle', error: undefined, usage: undefined }, settings);
    this.#storage = new StoredValue(storageKey, storage, parseChat);
  }

  get storageKey(): string | undefined {
    return this.#storage.key;
  }

  /** Sends a message. Resolves when the response has ended, to its message, or to undefined after a failure. */
  send(content: ChatInput): Promise<ChatEntry | undefined> {
    return this.#start((messages) => [...messages, { role: 'user', content }]);
  }

  /** Requests a response again after it failed or was stopped. It is charged again. */
  retry(): Promise<ChatEntry | undefined> {
    return this.#start(withoutIncomplete);
  }

  /** Ends the response. What has arrived stays in the conversation. */
  stop(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#end(exchange);
    exchange.controller.abort();
  }

  protected attach(signal: AbortSignal): void {
    const load = async () => {
      const stored = await this.#storage.read();
      if (stored && this.snapshot.status !== 'streaming') this.show({ messages: stored.messages });
    };
    this.#loading = load();
    this.#storage.listen(() => void load(), signal);
    onPageEvent('pagehide', () => this.#save(), signal);
  }

  protected override detach(): void {
    this.stop();
  }

  /** Sends the conversation that `next` returns. */
  async #start(
    next: (messages: readonly ChatEntry[]) => readonly ChatEntry[],
  ): Promise<ChatEntry | undefined> {
    if (this.#exchange) throw refusal('chat_pending');
    const controller = new AbortController();
    const { signal } = controller;
    const exchange: ChatExchange = { controller };
    this.#exchange = exchange;
    await this.#loading;
    if (signal.aborted) return undefined;
    try {
      exchange.history = next(this.snapshot.messages);
      this.show({ messages: exchange.history, status: 'streaming', error: undefined });
      this.#save();
      await this.#send(exchange, exchange.history);
      this.#end(exchange);
      return signal.aborted ? undefined : this.snapshot.messages.at(-1);
    } catch (error) {
      this.#end(exchange, { status: 'error', error: toError(error) });
      if (!exchange.history) throw error;
      return undefined;
    }
  }

  /** Sends a conversation, and executes the tools that the model calls. Resolves when the last response is complete. */
  async #send(exchange: ChatExchange, history: readonly ChatEntry[]): Promise<void> {
    const { signal } = exchange.controller;
    const {
      gateway,
      tools = [],
      maxRounds,
      onToolError,
      stream_options,
      id: _id,
      storage: _storage,
      ...params
    } = this.settings;
    const read = async (stream: ChatStream) => {
      for await (const _ of stream) this.#draw();
    };
    const onStream = (stream: ChatStream, run: ToolRunProgress) => {
      exchange.received = { stream, run, index: run.rounds.length };
      // The run rejects with the errors of its streams.
      read(stream).catch(() => undefined);
    };
    const request = {
      ...params,
      messages: toRequest(history),
      tools,
      stream_options: { ...stream_options, include_usage: true },
    };
    await gateway.chat.completions.run(request, { signal, maxRounds, onToolError, onStream });
  }

  /** Stores the conversation as it is if the page is closed now. */
  #save(exchange = this.#exchange): void {
    if (!exchange?.history) return;
    void this.#storage.write({ v: 1, messages: messagesOf(exchange, closeMessages) });
  }

  /** Ends a response, and keeps what has arrived. */
  #end(exchange: ChatExchange, changes?: Partial<ChatSnapshot>): void {
    if (this.#exchange !== exchange) return;
    this.#exchange = undefined;
    if (!exchange.history) return;
    const usage = exchange.received?.stream.partial?.usage ?? undefined;
    this.show({
      messages: messagesOf(exchange, closeMessages),
      status: 'idle',
      usage,
      ...changes,
    });
    this.#save(exchange);
  }
}
