import { createContext } from './core/call/context.ts';
import type { ClientContext, SharedState } from './core/call/context.ts';
import { resolveConfig } from './core/config/config.ts';
import type { PolygateOptions } from './core/config/options.ts';
import type { ConcurrencyState } from './core/limits/concurrency-limiter.ts';
import { Chat } from './resources/chat.ts';
import { Models } from './resources/models.ts';
import type { Spend } from './schemas/charge.ts';

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
  constructor(options?: PolygateOptions);
  /** @internal Clients created by `withOptions` share the state of the account. */
  constructor(options: PolygateOptions, shared: SharedState);
  constructor(options: PolygateOptions = {}, shared?: SharedState) {
    this.#context = createContext(resolveConfig(options), shared);
    this.chat = new Chat(this.#context);
    this.models = new Models(this.#context);
  }

  /** Amounts spent by all clients that share state through `withOptions`. A live view. */
  get spend(): Spend {
    return this.#context.shared.ledger.view();
  }

  /** A live view of the account's concurrency limit and the slots in use, as far as this client knows. */
  get concurrency(): ConcurrencyState {
    return this.#context.shared.concurrency.view();
  }

  /**
   * Returns a client with the given options in place of this client's. It shares the ledger, the concurrency limiter
   * and the known prices with this client.
   */
  withOptions(options: PolygateOptions): ChatClient {
    return derive({ ...this.#context.config.options, ...options }, this.#context.shared);
  }
}

/** Defined outside the class, because the bundler renames a class that refers to itself. */
function derive(options: PolygateOptions, shared: SharedState): ChatClient {
  return new ChatClient(options, shared);
}
