import type { ChatCompletion, ChatStream, ToolRunProgress } from 'polygate';

import {
  closeMessages,
  parseMessages,
  serializeMessages,
  toMessage,
  toRequest,
  withoutIncomplete,
} from './chat-state.ts';
import type { ChatEntry, ChatGateway, ChatInput, ChatOptions, ChatSnapshot } from './chat-state.ts';
import { refusal, toError } from './errors.ts';
import { oncePerFrame } from './frames.ts';
import { SlotStorage } from './slot-storage.ts';
import { StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';

/** The options of a component, and its client. */
export interface ChatSettings extends ChatOptions {
  readonly gateway: ChatGateway;
}

/** A response that is streaming: one request, or several if the model calls tools. */
interface Exchange {
  readonly controller: AbortController;
  /** The conversation that was sent. */
  history: readonly ChatEntry[];
  /** How many messages were sent. */
  sentCount: number;
  /** What is complete. */
  run: Pick<ToolRunProgress, 'messages' | 'rounds'>;
  /** The latest request. */
  stream: ChatStream | undefined;
  /** How many requests were sent. */
  requests: number;
}

/** A conversation. A response streams while there is a subscriber. */
export class ChatStore extends StoreBase<ChatSnapshot, ChatSettings> {
  readonly #storage: SlotStorage;
  readonly #draw = oncePerFrame(() => {
    if (this.#exchange) this.#show({ messages: this.#messages(this.#exchange) });
  });
  #exchange: Exchange | undefined;
  #loading: Promise<void> | undefined;

  constructor(slot: string | undefined, settings: SettingsRef<ChatSettings>) {
    const { messages = [], storage } = settings.current;
    super({ messages, status: 'idle', error: undefined, usage: undefined }, settings);
    this.#storage = new SlotStorage(slot, storage);
  }

  get slot(): string | undefined {
    return this.#storage.slot;
  }

  /** Sends a message. Resolves when the response has ended, to its message, or to undefined after a failure. */
  async send(content: ChatInput): Promise<ChatEntry | undefined> {
    return this.#start((messages) => [...messages, { role: 'user', content }]);
  }

  /** Requests the response again that failed or was stopped. It is charged again. */
  async retry(): Promise<ChatEntry | undefined> {
    return this.#start(withoutIncomplete);
  }

  /** Ends the response. What has arrived stays in the conversation. */
  stop(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#end(exchange, { status: 'idle', messages: this.#messages(exchange, true) });
    exchange.controller.abort();
  }

  protected attach(): () => void {
    const load = async () => {
      const text = await this.#storage.read();
      const stored = text ? parseMessages(text) : undefined;
      if (text && !stored) this.#storage.warn(`the entry of ${this.slot} is damaged.`);
      if (stored && !this.#exchange?.requests) this.#show({ messages: stored });
    };
    this.#loading = load();
    const stopListening = this.#storage.listen(() => {
      if (!this.#exchange) void load();
    });
    const { window }: { window?: Partial<EventTarget> } = globalThis;
    const save = () => {
      if (this.#exchange?.requests) this.#save(this.#messages(this.#exchange, true));
    };
    window?.addEventListener?.('pagehide', save);
    return () => {
      this.stop();
      stopListening();
      window?.removeEventListener?.('pagehide', save);
    };
  }

  async #start(
    next: (messages: readonly ChatEntry[]) => readonly ChatEntry[],
  ): Promise<ChatEntry | undefined> {
    if (this.#exchange) throw refusal('chat_pending');
    const exchange: Exchange = {
      controller: new AbortController(),
      history: [],
      sentCount: 0,
      run: { messages: [], rounds: [] },
      stream: undefined,
      requests: 0,
    };
    this.#exchange = exchange;
    await this.#loading;
    if (this.#exchange !== exchange) return undefined;
    try {
      exchange.history = next(this.snapshot.messages);
    } catch (error) {
      this.#exchange = undefined;
      throw error;
    }
    this.#show({ messages: exchange.history, status: 'streaming', error: undefined });
    this.#save(exchange.history);
    return this.#run(exchange);
  }

  async #run(exchange: Exchange): Promise<ChatEntry | undefined> {
    try {
      const completion = await this.#request(exchange);
      const message = completion.choices[0]?.message;
      const { history, run, sentCount } = exchange;
      const received = run.messages.slice(sentCount);
      const added = received.length > 0 || !message ? received : [toMessage(message)];
      const messages = [...history, ...added];
      const usage = completion.usage ?? undefined;
      this.#end(exchange, { status: 'idle', messages, usage });
      return messages.at(-1);
    } catch (thrown) {
      const usage = exchange.stream?.partial?.usage ?? undefined;
      const messages = this.#messages(exchange, true);
      this.#end(exchange, { status: 'error', error: toError(thrown), messages, usage });
      return undefined;
    }
  }

  /** Sends the request, and those that follow if the model calls tools. */
  async #request(exchange: Exchange): Promise<ChatCompletion> {
    const settings = { ...this.settings };
    const { gateway, id: _id, storage: _storage, tools = [], ...options } = settings;
    const { maxRounds, onToolError, stream_options, ...params } = options;
    const { completions } = gateway.chat;
    const { signal } = exchange.controller;
    const messages = toRequest(exchange.history);
    exchange.sentCount = messages.length;
    const request = {
      ...params,
      messages,
      stream_options: { ...stream_options, include_usage: true },
    };
    if (tools.length > 0) {
      const onStream = (stream: ChatStream, run: ToolRunProgress) => {
        exchange.run = run;
        void this.#read(exchange, stream);
      };
      const runOptions = { signal, maxRounds, onToolError, onStream };
      return (await completions.run({ ...request, tools }, runOptions)).completion;
    }
    const stream = completions.stream(request, { signal });
    void this.#read(exchange, stream);
    return stream.final();
  }

  /** Shows what arrives. The request reports the errors of its stream. */
  async #read(exchange: Exchange, stream: ChatStream): Promise<void> {
    exchange.stream = stream;
    exchange.requests += 1;
    try {
      for await (const _ of stream) this.#draw();
    } catch {
      // The request rejects with it.
    }
  }

  /** The conversation with what has arrived of a response, or what remains of it if it ends now. */
  #messages({ history, run, sentCount, ...exchange }: Exchange, isEnd = false): ChatEntry[] {
    const complete = run.messages.slice(sentCount);
    const isOpen = exchange.requests > run.rounds.length;
    const partial = isOpen ? exchange.stream?.partial?.choices[0]?.message : undefined;
    if (isEnd) return [...history, ...closeMessages(complete, partial)];
    return [...history, ...complete, ...(partial ? [toMessage(partial)] : [])];
  }

  #end(exchange: Exchange, end: Partial<ChatSnapshot>): void {
    if (this.#exchange !== exchange) return;
    this.#exchange = undefined;
    this.#show(end);
    this.#save(this.snapshot.messages);
  }

  #show(changes: Partial<ChatSnapshot>): void {
    this.show({ ...this.snapshot, ...changes });
  }

  #save(messages: readonly ChatEntry[]): void {
    void this.#storage.write(serializeMessages(messages));
  }
}
