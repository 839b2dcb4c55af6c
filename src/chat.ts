import { BaseClient } from './base-client.ts';
import { createContext } from './client/call/context.ts';
import type { ClientContext } from './client/call/context.ts';
import { resolveConfig } from './client/config/config.ts';
import type { ChatClientOptions } from './client/config/options.ts';
import { createFetchTransport } from './client/http/transport.ts';

export * from './errors/index.ts';

export { ChatStream } from './client/chat/chat-stream.ts';
export { extractImages } from './client/chat/content.ts';
export { Stream } from './client/stream/stream.ts';

export type * from './index.ts';

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
export class ChatClient extends BaseClient<ChatClientOptions> {
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
    const context = createContext(config, createFetchTransport(config.fetch), parent);
    super(context);
    this.#context = context;
  }

  override withOptions(options: ChatClientOptions): ChatClient {
    return derive({ ...this.#context.config.options, ...options }, this.#context);
  }
}

/** Defined outside the class, because the bundler renames a class that refers to itself. */
function derive(options: ChatClientOptions, parent: ClientContext): ChatClient {
  return new ChatClient(options, parent);
}
