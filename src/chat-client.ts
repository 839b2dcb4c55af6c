import { createContext } from './core/call/context.ts';
import type { ClientContext } from './core/call/context.ts';
import { listenToSpend } from './core/call/spending.ts';
import { resolveConfig } from './core/config/config.ts';
import type { ChatClientOptions } from './core/config/options.ts';
import { createFetchTransport } from './core/http/transport.ts';
import type { ConcurrencyState } from './core/limits/concurrency-limiter.ts';
import { Chat } from './resources/chat.ts';
import { Models } from './resources/models.ts';
import type { Spend } from './types/charge.ts';

/**
 * A client for chat completions and models only, for pages that need a small bundle. Its members work as in
 * {@link Polygate}.
 *
 * @example
 * ```ts
 * const gateway = new ChatClient({ apiKey: null, baseURL: '/gateway' });
 * for await (const text of gateway.chat.completions.stream({ model, messages }).text()) show(text);
 * ```
 */
export class ChatClient {
  /** Chat completions, streamed or not. */
  readonly chat: Chat;
  /** Models available to the API key, with their prices. */
  readonly models: Models;
  readonly #context: ClientContext;

  /**
   * Creates a client.
   *
   * @throws {@link ConfigurationError} if an option is unknown or invalid, if the base URL is missing or unsafe, or if
   * an API key is passed in a browser without `dangerouslyAllowBrowser`.
   */
  constructor(options?: ChatClientOptions);
  /** @internal A client created by `withOptions` shares the state of its parent if both use the same account. */
  constructor(options: ChatClientOptions, parent: ClientContext);
  constructor(options: ChatClientOptions = {}, parent?: ClientContext) {
    const config = resolveConfig(options);
    this.#context = createContext(config, createFetchTransport(config.fetch), parent);
    this.chat = new Chat(this.#context);
    this.models = new Models(this.#context);
  }

  /** Amounts spent by this client and all clients that share its ledger through `withOptions`. A live view. */
  get spend(): Spend {
    return this.#context.shared.ledger.view;
  }

  /**
   * Calls `listener` with `spend` after each charge of this client and of all clients that share its ledger. Errors that
   * it throws are logged.
   *
   * @returns a function that stops it.
   */
  onSpend(listener: (spend: Spend) => void): () => void {
    return listenToSpend(this.#context, listener);
  }

  /** A live view of the account's concurrency limit, and of the slots used by all clients that share it. */
  get concurrency(): ConcurrencyState {
    return this.#context.shared.concurrency.view;
  }

  /**
   * Returns a client with the given options in place of this client's. While the API key, an `authorization` header
   * and the base URL stay the same, the two share the ledger, the concurrency limiter, known prices and poll paths. With
   * another one of these, the new client uses another account and starts fresh: `spend` is zero and its `budget` counts
   * from there. A function that returns the key is the same key if it is the same function. A `concurrency` cap counts
   * the calls of its own client only.
   *
   * @throws {@link ConfigurationError} if an option is unknown or invalid.
   */
  withOptions(options: ChatClientOptions): ChatClient {
    return derive({ ...this.#context.config.options, ...options }, this.#context);
  }
}

/** Defined outside the class, because the bundler renames a class that refers to itself. */
function derive(options: ChatClientOptions, parent: ClientContext): ChatClient {
  return new ChatClient(options, parent);
}
