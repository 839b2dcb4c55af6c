import type { ChatStream, ToolRunProgress } from 'polygate';

import { closeMessages, toMessages, toRequest } from './chat-state.ts';
import type { ChatEntry, ChatGateway, ChatInput, ChatOptions, ChatSnapshot } from './chat-state.ts';
import {
  responseOf,
  byId,
  isFuller,
  isInitial,
  nextResponse,
  nextTurn,
  numbered,
  parseChat,
  sorted,
  storeWhatFits,
  turnOf,
  withoutIncomplete,
} from './conversation.ts';
import type { ChatExchange, Place, Numbered, StoredChat } from './conversation.ts';
import { refusal, toError } from './errors.ts';
import { oncePerFrame, StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';
import { StoredValue, onPageEvent } from './stored-value.ts';

/** The options of a component, and its client. */
export interface ChatSettings extends ChatOptions {
  readonly gateway: ChatGateway;
}

const noMessages: readonly ChatEntry[] = [];

/** The array that is shown, if it has the same messages, so that components are not rendered again. */
const unlessEqual = (shown: readonly ChatEntry[], next: readonly ChatEntry[]) =>
  next.length === shown.length && next.every((each, index) => each === shown[index]) ? shown : next;

/**
 * A conversation. A response streams while there is a subscriber. Tabs can change it at the same time, and can see late
 * what others have stored: each merges what is stored with what it has, and stores what the storage lacks.
 */
export class ChatStore extends StoreBase<ChatSnapshot, ChatSettings> {
  readonly #storage: StoredValue<StoredChat>;
  readonly #draw = oncePerFrame(() => this.#show());
  #exchange: ChatExchange | undefined;
  /** The conversation without the response that is being received, by id. */
  #messages: Map<string, ChatEntry>;
  /** Ids of messages that were removed with the conversation, or replaced by a retry. */
  readonly #removed = new Set<string>();
  /** Ids of messages that did not fit. */
  #cut: readonly string[] = [];
  /** Whether the storage has had the conversation, so that it was removed if it is not there. */
  #isStored = false;
  /** The last turn of this tab. */
  #turn: string | undefined;
  /** The last turn of this tab until its response has been stored, or could not be. */
  #unsaved: string | undefined;

  constructor(storageKey: string | undefined, settings: SettingsRef<ChatSettings>) {
    const { messages = noMessages, storage } = settings.current;
    super(
      { messages, status: 'idle', error: undefined, unstored: noMessages, usage: undefined },
      settings,
    );
    this.#storage = new StoredValue(storageKey, storage, parseChat);
    this.#messages = new Map(numbered(messages));
  }

  get storageKey(): string | undefined {
    return this.#storage.key;
  }

  /** Sends a message. Resolves when the response has ended, to its message, or to undefined after a failure. */
  send(content: ChatInput): Promise<ChatEntry | undefined> {
    return this.#start((all) => {
      const turn = nextTurn(all.at(-1)?.[0]);
      const message: ChatEntry = { role: 'user', content };
      this.#messages.set(turn, message);
      return { prefix: nextResponse(turn), history: [...messagesOf(all), message] };
    });
  }

  /** Requests a response again after it failed or was stopped. It is charged again. */
  retry(): Promise<ChatEntry | undefined> {
    return this.#start((all) => {
      const own = all.filter(([id]) => this.#turn && id < `${this.#turn}~`);
      const failed = withoutIncomplete(own) ? own : all;
      const kept = withoutIncomplete(failed);
      const [last = ''] = failed.at(-1) ?? [];
      if (!kept) throw refusal('nothing_to_retry');
      for (const [id] of failed.slice(kept.length)) {
        this.#messages.delete(id);
        this.#removed.add(id);
      }
      return { prefix: nextResponse(last), history: messagesOf(kept) };
    });
  }

  /** Ends the response. What has arrived stays in the conversation. */
  stop(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    void this.#end(exchange);
    exchange.controller.abort();
  }

  protected attach(signal: AbortSignal): void {
    void this.#sync();
    this.#storage.listen((value) => void this.#sync(value), signal);
    onPageEvent('pagehide', () => this.#exchange?.place && void this.#save(), signal);
  }

  protected override detach(): void {
    this.stop();
  }

  /** Sends the conversation that `next` returns, given the current one. */
  async #start(next: (all: readonly Numbered[]) => Place): Promise<ChatEntry | undefined> {
    if (this.#exchange) throw refusal('chat_pending');
    const controller = new AbortController();
    const { signal } = controller;
    const exchange: ChatExchange = { controller };
    this.#exchange = exchange;
    await this.#sync();
    if (signal.aborted) return undefined;
    try {
      exchange.place = next(sorted(this.#messages));
      this.#turn = this.#unsaved = turnOf(exchange.place.prefix);
      this.#show({ status: 'streaming', error: undefined });
      void this.#save();
      await this.#send(exchange, exchange.place.history);
      await this.#end(exchange);
      return signal.aborted ? undefined : responseOf(exchange, toMessages).at(-1)?.[1];
    } catch (error) {
      await this.#end(exchange, { status: 'error', error: toError(error) });
      if (!exchange.place) throw error;
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

  /** Ends a response, and keeps what has arrived. */
  async #end(exchange: ChatExchange, changes?: Partial<ChatSnapshot>): Promise<void> {
    if (this.#exchange !== exchange) return;
    this.#exchange = undefined;
    if (!exchange.place) return;
    const usage = exchange.received?.stream.partial?.usage ?? undefined;
    for (const [id, message] of responseOf(exchange, closeMessages)) {
      this.#messages.set(id, message);
    }
    this.#show({ status: 'idle', usage, ...changes });
    await this.#save();
    if (!this.#exchange) this.#unsaved = undefined;
  }

  /** The conversation, and what has arrived of a response. */
  #all(compose?: typeof toMessages): Numbered[] {
    const exchange = compose && this.#exchange;
    const response = exchange ? responseOf(exchange, compose) : [];
    return sorted(new Map([...this.#messages, ...response]));
  }

  #show(changes?: Partial<ChatSnapshot>): void {
    const all = this.#all(toMessages);
    const cut = new Set(this.#cut);
    const { messages, unstored } = this.snapshot;
    this.show({
      messages: unlessEqual(messages, messagesOf(all)),
      unstored: unlessEqual(unstored, messagesOf(all.filter(([id]) => cut.has(id)))),
      ...changes,
    });
  }

  /** Stores the conversation as it is if the page is closed now. */
  #save(): Promise<void> {
    return this.#sync(undefined, closeMessages);
  }

  /**
   * Merges the conversation with what is stored, and with what another tab has stored, and stores it if messages are
   * missing there, or if it is given how to store a response that is being received.
   */
  async #sync(seen?: StoredChat, compose?: typeof toMessages): Promise<void> {
    if (this.storageKey === undefined) return;
    this.#merge(seen);
    await this.#storage.update(async (stored, set) => {
      const theirs = this.#merge(stored);
      const all = this.#all(compose);
      const missing = all.flatMap(([id, message]) =>
        !isInitial(id) && isFuller(message, theirs.get(id)) ? [id] : [],
      );
      const cut = stored?.cut ?? [];
      // What did not fit in another tab, and is not here.
      const others = cut.filter((id) => !missing.includes(id));
      this.#cut = [...others, ...missing];
      // What is not understood is replaced only by a new message.
      if (!compose && (stored === undefined || missing.every((id) => cut.includes(id)))) return;
      const lost = await storeWhatFits(all, theirs, (kept, left) =>
        set({
          v: 1,
          messages: messagesOf(kept),
          ids: kept.map(([id]) => id),
          cut: [...others, ...left],
          removed: [...this.#removed],
        }),
      );
      this.#cut = [...others, ...lost];
      this.#isStored = true;
    });
    this.#show();
  }

  /** Takes what is stored, which it returns by id. */
  #merge(stored: StoredChat | null | undefined): ReadonlyMap<string, ChatEntry> {
    if (!stored) {
      if (stored === null && this.#isStored) this.#forget();
      return new Map();
    }
    const theirs = byId(stored, sorted(this.#messages));
    for (const id of this.#messages.keys()) {
      if (!this.#isStored && isInitial(id)) this.#messages.delete(id);
    }
    this.#isStored = true;
    for (const id of stored.removed ?? []) this.#removed.add(id);
    for (const [id, message] of theirs) {
      if (isFuller(message, this.#messages.get(id))) this.#messages.set(id, message);
    }
    for (const id of this.#removed) this.#messages.delete(id);
    return theirs;
  }

  /** Another tab has removed the conversation. A response that it cannot have seen stays. */
  #forget(): void {
    const turn = this.#unsaved;
    for (const id of this.#messages.keys()) {
      if (turn && id.startsWith(turn)) continue;
      this.#messages.delete(id);
      if (!isInitial(id)) this.#removed.add(id);
    }
    this.#messages = new Map([...numbered(this.settings.messages ?? []), ...this.#messages]);
    this.#isStored = false;
  }
}

const messagesOf = (all: readonly Numbered[]): ChatEntry[] => all.map(([, message]) => message);
