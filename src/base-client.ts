import type { ClientContext } from './client/call/context.ts';
import type { ChatClientOptions } from './client/config/options.ts';
import type { ConcurrencyState } from './client/limits/concurrency-limiter.ts';
import { Chat } from './resources/chat.ts';
import { Models } from './resources/models.ts';
import type { Spend } from './wire/types/meta.ts';

/** What all clients have. */
export abstract class BaseClient<Options extends ChatClientOptions> {
  /** Chat completions, streamed or not. */
  readonly chat: Chat;
  /** Models available to the API key, with their prices. */
  readonly models: Models;
  // Private at run time, because the API key is reachable through it.
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
    this.chat = new Chat(context);
    this.models = new Models(context);
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /** Amounts spent by this client and all clients that share its ledger through `withOptions`. A live view. */
  get spend(): Spend {
    return this.#context.shared.ledger.view;
  }

  /**
   * Calls `listener` with `spend` after each charge of this client and of all clients that share its ledger. Errors
   * that it throws are logged.
   *
   * @returns a function that stops it.
   */
  onSpend(listener: (spend: Spend) => void): () => void {
    const { config, shared } = this.#context;
    return shared.ledger.listen(listener, config.log);
  }

  /** A live view of the account's concurrency limit, and of the slots used by all clients that share it. */
  get concurrency(): ConcurrencyState {
    return this.#context.shared.concurrency.view;
  }

  /**
   * Returns a client with the given options instead of this client's. While the API key, an `authorization` header and
   * the base URL stay the same, the two share the ledger, the concurrency limiter, known prices and poll paths. With
   * another one of these, the new client uses another account and starts fresh: `spend` is zero and its `budget` counts
   * from there. A function that returns the key is the same key if it is the same function. A `concurrency` cap counts
   * only the calls of its client.
   *
   * @throws {@link ConfigurationError} if an option is unknown or invalid.
   */
  abstract withOptions(options: Options): BaseClient<Options>;
}
