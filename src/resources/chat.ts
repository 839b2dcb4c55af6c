import { ChatStream } from '../core/chat/chat-stream.ts';
import { openStream } from '../core/stream/chunk-reader.ts';
import { toServiceParams } from '../core/chat/json-schema.ts';
import { PendingStream } from '../core/stream/pending-stream.ts';
import { parseCompletion, completionParser } from '../core/chat/structured-output.ts';
import { executeRaw } from '../core/call/endpoint.ts';
import { execute } from '../core/call/execute.ts';
import { readJson } from '../core/call/response.ts';
import type { ApiResponse } from '../core/call/response.ts';
import { checkParams } from '../core/call/params.ts';
import { RequestPromise } from '../core/call/request-promise.ts';
import { withIdempotencyKey } from '../core/call/idempotency-key.ts';
import { readWithSchema } from '../core/call/api-call.ts';
import type { ApiCall } from '../core/call/api-call.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import { checkValue } from '../core/config/validation.ts';
import type { Rule } from '../core/config/validation.ts';
import type { ClientContext } from '../core/call/context.ts';
import { Stream } from '../core/stream/stream.ts';
import { runTools } from '../core/chat/tool-run.ts';
import type { RunOptions } from '../core/chat/tool-run.ts';
import { chatCompletionSchema } from '../schemas/chat-completion.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../schemas/chat-completion.ts';
import type { ParseParams, ParsedCompletion } from '../schemas/chat-output.ts';
import type { ChatParams } from '../schemas/chat-params.ts';
import type { RunParams, ToolRun } from '../schemas/chat-run.ts';

/** Talks to models. Specification: Chat. */
export class Chat {
  /** Chat completions. */
  readonly completions: ChatCompletions;

  /** @internal */
  constructor(context: ClientContext) {
    this.completions = new ChatCompletions(context);
  }
}

/** Chat completions, whole or streamed. Specification: POST /chat/completions. */
export class ChatCompletions {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
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
    const ready = this.#withKey(options);
    return this.#promise<ChatCompletion | Stream<ChatCompletionChunk>>(params, ready, () =>
      params?.stream ? this.#stream(params, ready) : this.#whole(params, ready),
    );
  }

  /**
   * Asks a model and gives back the stream of the answer at once: loop over it, over its `text()`, or await its
   * `final()`. What can go wrong is thrown there, as {@link ChatCompletions.create} documents it. With a schema as its
   * `response_format`, as {@link ChatCompletions.parse} takes it, `partialObjects()` gives the answer while it grows and
   * `final()` has it as `parsed`.
   */
  stream<Output, Input>(
    params: ParseParams<Output, Input>,
    options?: RequestOptions,
  ): ChatStream<ParsedCompletion<Output>, Input>;
  stream(params: ChatParams, options?: RequestOptions): ChatStream;
  stream(params: ChatParams | ParseParams<unknown>, options: RequestOptions = {}): ChatStream {
    const ready = this.#withKey(options);
    const { signal } = options;
    const open = async (untilOpen: AbortSignal) =>
      this.#open(
        { ...toServiceParams(params), stream: true },
        { ...ready, signal: untilOpen },
        signal,
      );
    const opening = new PendingStream(open, signal, this.#context.config.clock);
    return new ChatStream(opening, completionParser(params?.response_format, ready.idempotencyKey));
  }

  /**
   * Asks a model for an answer that fits a schema, and gives the completion with what the schema makes of the first
   * choice as `parsed`. The schema is sent as `response_format: { type: 'json_schema', json_schema }`, under its title,
   * `strict` where every object lists all of its fields as required. Any Standard Schema that tells its JSON schema
   * will do: zod from 4.2, arktype, valibot with `toStandardJsonSchema`. Nothing is asked again when the answer does not
   * fit: it was paid.
   *
   * @throws {@link StructuredOutputError} when the model refuses, its answer is cut, is no JSON, or does not fit. It holds
   * the text, the completion and the metadata.
   * @throws {@link ConfigurationError} when the schema tells no JSON schema; and all that
   * {@link ChatCompletions.create} throws.
   */
  parse<Output, Input>(
    params: ParseParams<Output, Input> & { stream?: false | null | undefined },
    options: RequestOptions = {},
  ): RequestPromise<ParsedCompletion<Output>> {
    const ready = this.#withKey(options);
    return this.#promise(params, ready, async () => {
      const answer = await this.#whole(toServiceParams(params), ready);
      const { data, meta } = answer;
      const { response_format: schema } = params;
      return { ...answer, data: await parseCompletion(schema, data, meta, ready.idempotencyKey) };
    });
  }

  /**
   * Asks a model that may call tools, carries out the tools that it calls, all calls of an answer at once, and asks
   * again with what they answered until it calls none. Each round is a request of its own, paid and never sent twice,
   * as {@link ChatCompletions.create} does it. Arguments are checked by the tool's schema first. What goes wrong in a
   * tool is told to the model; see `onToolError`.
   *
   * @throws {@link ToolRoundsError} when the model still calls tools after `maxRounds` requests.
   * @throws {@link AbortedError} when the caller's signal ends it, also while tools run; their `signal` aborts, too.
   * @throws {@link ConfigurationError} when a schema tells no JSON schema; and all that
   * {@link ChatCompletions.create} throws. Every error has `run`: the conversation so far and what it cost.
   */
  async run<Arguments extends readonly unknown[]>(
    params: RunParams<Arguments>,
    options: RunOptions = {},
  ): Promise<ToolRun> {
    checkParams(params, (given) => messagesProblem(given) ?? toolsProblem(given));
    checkValue('idempotencyKey', Reflect.get(options, 'idempotencyKey'), noKey);
    return runTools(params, options, (round) => this.#whole(round, this.#withKey(options)));
  }

  #promise<Result>(
    params: ChatParams | ParseParams<unknown>,
    options: RequestOptions,
    read: () => Promise<ApiResponse<Result>>,
  ): RequestPromise<Result> {
    const raw = async () => executeRaw(this.#context, this.#call(toServiceParams(params)), options);
    return new RequestPromise({ parsed: read, raw });
  }

  async #whole(params: ChatParams, options: RequestOptions): Promise<ApiResponse<ChatCompletion>> {
    return execute(
      this.#context,
      this.#call(params),
      options,
      readJson(readWithSchema(chatCompletionSchema)),
    );
  }

  async #stream(
    params: ChatParams,
    options: RequestOptions,
  ): Promise<ApiResponse<Stream<ChatCompletionChunk>>> {
    const answer = await this.#open(params, options);
    return { ...answer, data: new Stream(answer.data, answer.meta) };
  }

  async #open(params: ChatParams, options: RequestOptions, signal = options.signal) {
    const finish = openStream(params.n ?? 1, signal);
    return execute(this.#context, this.#call(params), options, finish);
  }

  #call(params: ChatParams): ApiCall {
    checkParams(params, messagesProblem);
    const { config } = this.#context;
    return {
      method: 'POST',
      template: '/v1/chat/completions',
      body: params,
      model: params.model,
      safety: config.retryAmbiguous.chat ? 'keyed' : 'once',
      paid: true,
      usesSlot: true,
      timeout: config.chatTimeout,
      headers: params.stream ? { accept: 'text/event-stream' } : undefined,
    };
  }

  /** A key of the caller's is sent; one is made only where the caller says that the service replays it. A11. */
  #withKey(options: RequestOptions): RequestOptions {
    return this.#context.config.retryAmbiguous.chat ? withIdempotencyKey(options) : options;
  }
}

function messagesProblem({ messages }: Record<string, unknown>): string | undefined {
  return Array.isArray(messages) ? undefined : 'messages: must be an array';
}

const noKey: Rule = [() => false, 'absent, for a run makes many requests'];

function toolsProblem({ tools }: Record<string, unknown>): string | undefined {
  return Array.isArray(tools) ? undefined : 'tools: must be an array';
}
