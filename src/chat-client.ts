import { resolveConfig } from './core/config/config.ts';
import type { ConcurrencyState } from './core/limits/concurrency-limiter.ts';
import type { PolygateOptions } from './core/config/options.ts';
import { createContext } from './core/call/context.ts';
import type { ClientContext, SharedState } from './core/call/context.ts';
import { Chat } from './resources/chat.ts';
import { Models } from './resources/models.ts';
import type { Spend } from './schemas/charge.ts';

/**
 * A client for chat alone, for pages that must stay small: what it has is as in {@link Polygate}, and the rest, a third
 * of the weight, is not there.
 *
 * @example
 * ```ts
 * const gateway = new ChatClient({ apiKey: null, baseURL: '/gateway' });
 * for await (const text of gateway.chat.completions.stream({ model, messages }).text()) show(text);
 * ```
 */
export class ChatClient {
  /** Chat, whole or streamed. */
  readonly chat: Chat;
  /** The models that the key can use, with their prices. */
  readonly models: Models;
  readonly #context: ClientContext;

  /**
   * @throws {@link ConfigurationError} when an option is unknown or wrong, the base URL is missing or unsafe, or a key
   * is given in a browser.
   */
  constructor(options?: PolygateOptions);
  /** @internal Clients made by `withOptions` share one ledger and one queue. */
  constructor(options: PolygateOptions, shared: SharedState);
  constructor(options: PolygateOptions = {}, shared?: SharedState) {
    this.#context = createContext(resolveConfig(options), shared);
    this.chat = new Chat(this.#context);
    this.models = new Models(this.#context);
  }

  /** What this client, and every client made from it, has spent; a live view. */
  get spend(): Spend {
    return this.#context.shared.ledger.view();
  }

  /** The account's concurrency as this client sees it; a live view. */
  get concurrency(): ConcurrencyState {
    return this.#context.shared.concurrency.view();
  }

  /** A client with other options that shares the ledger and the concurrency queue of this one. */
  withOptions(options: PolygateOptions): ChatClient {
    return derive({ ...this.#context.config.options, ...options }, this.#context.shared);
  }
}

/** Outside of the class, because a class that names itself loses its name in the bundle. */
function derive(options: PolygateOptions, shared: SharedState): ChatClient {
  return new ChatClient(options, shared);
}
