import { ChatStream } from '../core/chat-stream.ts';
import { openStream } from '../core/chunk-reader.ts';
import { readJson } from '../core/response.ts';
import type { Answer } from '../core/response.ts';
import { checkParams } from '../core/params.ts';
import { RequestPromise } from '../core/request-promise.ts';
import { matching, newKey } from '../core/request.ts';
import type { Call, RequestOptions } from '../core/request.ts';
import type { Sender } from '../core/send.ts';
import { Stream } from '../core/stream.ts';
import { chatCompletionSchema } from '../schemas/chat-completion.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../schemas/chat-completion.ts';
import type { ChatParams } from '../schemas/chat-params.ts';

/** Talks to models. Specification: Chat. */
export class Chat {
  /** Chat completions. */
  readonly completions: ChatCompletions;

  /** @internal */
  constructor(sender: Sender) {
    this.completions = new ChatCompletions(sender);
  }
}

/** Chat completions, whole or streamed. Specification: POST /chat/completions. */
export class ChatCompletions {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Asks a model and waits for the whole answer, or with `stream: true` resolves to the stream of its chunks. A chat
   * is never sent twice when the first may have been paid: nothing protects it from a double charge.
   *
   * @throws {@link ConfigurationError} when `model` or `messages` is missing.
   * @throws {@link APIError} when the service refuses: 400, 401, 402, 403, 429, 500, 503.
   * @throws {@link ConnectionError} when no answer came; `outcome` says whether it may have been charged.
   * @throws {@link ResponseValidationError} when the answer is not a completion, or not a stream.
   */
  create(
    params: ChatParams & { stream: true },
    options?: RequestOptions,
  ): RequestPromise<Stream<ChatCompletionChunk>>;
  create(
    params: ChatParams & { stream?: false | null | undefined },
    options?: RequestOptions,
  ): RequestPromise<ChatCompletion>;
  create(
    params: ChatParams,
    options?: RequestOptions,
  ): RequestPromise<ChatCompletion | Stream<ChatCompletionChunk>>;
  create(
    params: ChatParams,
    options: RequestOptions = {},
  ): RequestPromise<ChatCompletion | Stream<ChatCompletionChunk>> {
    const keyed = this.#withKey(options);
    return new RequestPromise<ChatCompletion | Stream<ChatCompletionChunk>>({
      read: async () => (params?.stream ? this.#stream(params, keyed) : this.#whole(params, keyed)),
      leave: async () => this.#sender.leave(this.#call(params), keyed),
    });
  }

  /**
   * Asks a model and gives back the stream of the answer at once: loop over it, over its `text()`, or await its
   * `final()`. What can go wrong is thrown there, as {@link ChatCompletions.create} documents it.
   */
  stream(params: ChatParams, options: RequestOptions = {}): ChatStream {
    const keyed = this.#withKey(options);
    const { signal } = options;
    const open = (untilOpen: AbortSignal) =>
      this.#open({ ...params, stream: true }, { ...keyed, signal: untilOpen }, signal);
    return new ChatStream(open, signal);
  }

  async #whole(params: ChatParams, options: RequestOptions): Promise<Answer<ChatCompletion>> {
    return this.#sender.send(this.#call(params), options, readJson(matching(chatCompletionSchema)));
  }

  async #stream(
    params: ChatParams,
    options: RequestOptions,
  ): Promise<Answer<Stream<ChatCompletionChunk>>> {
    const answer = await this.#open(params, options);
    return { ...answer, data: new Stream(answer.data, answer.meta) };
  }

  async #open(params: ChatParams, options: RequestOptions, signal = options.signal) {
    const finish = openStream(params.n ?? 1, signal);
    return this.#sender.send(this.#call(params), options, finish);
  }

  #call(params: ChatParams): Call {
    checkParams(params, messagesProblem);
    const { config } = this.#sender;
    return {
      method: 'POST',
      template: '/v1/chat/completions',
      body: params,
      model: params.model,
      safety: config.retryAmbiguous.chat ? 'keyed' : 'once',
      keyHeader: 'x-idempotency-key',
      paid: true,
      governed: true,
      timeout: config.chatTimeout,
      ...(params.stream ? { headers: { accept: 'text/event-stream' } } : {}),
    };
  }

  /** A key of the caller's is sent; one is made only where the caller says that the service replays it. A11. */
  #withKey(options: RequestOptions): RequestOptions {
    const wanted = this.#sender.config.retryAmbiguous.chat && options.idempotencyKey === undefined;
    return wanted ? { ...options, idempotencyKey: newKey() } : options;
  }
}

function messagesProblem({ messages }: Record<string, unknown>): string | undefined {
  return Array.isArray(messages) ? undefined : 'messages: must be an array';
}
