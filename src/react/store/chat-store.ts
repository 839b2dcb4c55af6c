import type { ChatStream, ToolRunProgress } from 'polygate';

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
import { SlotStorage } from './slot-storage.ts';
import { StoreBase } from './store-base.ts';
import type { SettingsRef } from './store-base.ts';

/** The options of a component, and its client. */
export interface ChatSettings extends ChatOptions {
  readonly gateway: ChatGateway;
}

/** A response that is streaming. */
interface Exchange {
  /** Shows what has arrived. */
  draw(): void;
  /** Stores the conversation as it is if the page is closed now. */
  save(): void;
  /** Ends the response, and keeps what has arrived. */
  stop(): void;
}

/** A conversation. A response streams while there is a subscriber. */
export class ChatStore extends StoreBase<ChatSnapshot, ChatSettings> {
  readonly #storage: SlotStorage<StoredChat>;
  readonly #draw = oncePerFrame(() => this.#exchange?.draw());
  #exchange: Exchange | undefined;
  #loading: Promise<void> | undefined;

  constructor(slot: string | undefined, settings: SettingsRef<ChatSettings>) {
    const { messages = [], storage } = settings.current;
    super({ messages, status: 'idle', error: undefined, usage: undefined }, settings);
    this.#storage = new SlotStorage(slot, storage, parseChat);
  }

  get slot(): string | undefined {
    return this.#storage.slot;
  }

  /** Sends a message. Resolves when the response has ended, to its message, or to undefined after a failure. */
  send(content: ChatInput): Promise<ChatEntry | undefined> {
    return this.#start((messages) => [...messages, { role: 'user', content }]);
  }

  /** Requests the response again that failed or was stopped. It is charged again. */
  retry(): Promise<ChatEntry | undefined> {
    return this.#start(withoutIncomplete);
  }

  /** Ends the response. What has arrived stays in the conversation. */
  stop(): void {
    this.#exchange?.stop();
  }

  protected attach(signal: AbortSignal): void {
    const load = async () => {
      const stored = await this.#storage.read();
      if (stored && this.snapshot.status !== 'streaming') this.#show({ messages: stored.messages });
    };
    this.#loading = load();
    this.#storage.listen(() => void load(), signal);
    const { window }: { window?: Partial<EventTarget> } = globalThis;
    window?.addEventListener?.('pagehide', () => this.#exchange?.save(), { signal });
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
    /** Undefined until the stored conversation has been read: it must not be replaced by less. */
    let history: readonly ChatEntry[] | undefined;
    let sentCount = 0;
    let requests = 0;
    let stream: ChatStream | undefined;
    let run: Pick<ToolRunProgress, 'messages' | 'rounds'> = { messages: [], rounds: [] };
    const messages = (compose: typeof toMessages) => {
      const isOpen = requests > run.rounds.length;
      const partial = isOpen ? stream?.partial?.choices[0]?.message : undefined;
      return [...(history ?? []), ...compose(run.messages.slice(sentCount), partial)];
    };
    const save = () => {
      if (history) void this.#storage.write({ v: 1, messages: messages(closeMessages) });
    };
    const end = (changes: Partial<ChatSnapshot>) => {
      if (this.#exchange !== exchange) return;
      this.#exchange = undefined;
      if (!history) return;
      const usage = stream?.partial?.usage ?? undefined;
      this.#show({ messages: messages(closeMessages), status: 'idle', usage, ...changes });
      save();
    };
    const exchange: Exchange = {
      draw: () => this.#show({ messages: messages(toMessages) }),
      save,
      stop: () => {
        end({});
        controller.abort();
      },
    };
    this.#exchange = exchange;
    await this.#loading;
    if (signal.aborted) return undefined;
    try {
      history = next(this.snapshot.messages);
    } catch (error) {
      this.#exchange = undefined;
      throw error;
    }
    this.#show({ messages: history, status: 'streaming', error: undefined });
    save();
    const { gateway, tools = [], maxRounds, onToolError, stream_options, ...rest } = this.settings;
    const { id: _id, storage: _storage, ...params } = rest;
    const request = {
      ...params,
      messages: toRequest(history),
      stream_options: { ...stream_options, include_usage: true },
    };
    sentCount = request.messages.length;
    const read = async () => {
      for await (const _ of stream ?? []) this.#draw();
    };
    const onStream = (opened: ChatStream, progress: ToolRunProgress) => {
      run = progress;
      stream = opened;
      requests += 1;
      // The run rejects with the errors of its streams.
      read().catch(() => undefined);
    };
    try {
      const options = { signal, maxRounds, onToolError, onStream };
      await gateway.chat.completions.run({ ...request, tools }, options);
      end({});
      return signal.aborted ? undefined : this.snapshot.messages.at(-1);
    } catch (error) {
      end({ status: 'error', error: toError(error) });
      return undefined;
    }
  }

  #show(changes: Partial<ChatSnapshot>): void {
    this.show({ ...this.snapshot, ...changes });
  }
}
