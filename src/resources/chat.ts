import { limitsOf } from '../client/call/api-request.ts';
import type { AttemptObserver } from '../client/call/api-request.ts';
import type { ClientContext } from '../client/call/context.ts';
import { execute } from '../client/call/execute.ts';
import { mergeExtraBody } from '../client/call/params.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { runNow, startRequest } from '../client/call/request.ts';
import { ChatStream } from '../client/chat/chat-stream.ts';
import type { ChatSubmission } from '../client/chat/chat-submission.ts';
import { completionParser } from '../client/chat/completion-parser.ts';
import {
  createCompletion,
  createParsed,
  describeChat,
  prepareChat,
  checkRun,
  startRun,
} from '../client/chat/prepare-chat.ts';
import type { PreparedChat } from '../client/chat/prepare-chat.ts';
import type { RunOptions } from '../client/chat/tool-run.ts';
import { throwToCaller, captureContext } from '../client/config/caller.ts';
import { monotonicNow } from '../client/config/clock.ts';
import { checkValue } from '../client/config/validation.ts';
import { openStream, pendingStream } from '../client/stream/pending-stream.ts';
import { Stream } from '../client/stream/stream.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../wire/types/chat/completion.ts';
import type {
  ChatSubmissionParams,
  CompletionOf,
  ParseParams,
  ParsedCompletion,
  StreamParams,
  RunParams,
  ToolRun,
} from '../wire/types/chat/output.ts';
import type { ChatParams } from '../wire/types/chat/params.ts';

/** Chats with models: `completions` has the methods. */
export class Chat {
  /** Chat completions. */
  readonly completions: ChatCompletions;

  /** @internal */
  constructor(context: ClientContext) {
    this.completions = new ChatCompletions(context);
  }
}

/** Creates chat completions: at once, as a stream, with a schema, or with tools that the model calls. */
export class ChatCompletions {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Creates a chat completion. With `stream: true`, resolves to a stream of chunks; with a `stream` that is known only at
   * run time, to either of the two. A request that may have been charged is not retried, because the service does not
   * guarantee idempotent replay for chat.
   *
   * @throws {@link ConfigurationError} if `model` or `messages` is missing.
   * @throws {@link APIError} if the service responds with an error: 400, 401, 402, 403, 429, 500, 503.
   * @throws {@link ConnectionError} if no complete response was received; `outcome` says whether the request may have
   * been charged.
   * @throws {@link ResponseValidationError} if the response is neither a completion nor a stream.
   * @throws {@link StreamError} if a choice contains an error.
   *
   * @example
   * ```ts
   * const completion = await gateway.chat.completions.create({
   *   model: 'aurora-chat',
   *   messages: [{ role: 'user', content: 'Why do ships float?' }],
   * });
   * console.log(completion.choices[0]?.message.content);
   * ```
   */
  create<Streamed extends boolean | null | undefined = undefined>(
    params: ChatParams & { stream?: Streamed },
    options?: RequestOptions,
  ): RequestPromise<Streamed extends true ? Stream<ChatCompletionChunk> : ChatCompletion>;
  create(
    params: ChatParams,
    options?: RequestOptions,
  ): RequestPromise<ChatCompletion | Stream<ChatCompletionChunk>> {
    let isStream = false;
    return startRequest<PreparedChat, ChatCompletion | Stream<ChatCompletionChunk>>(
      this.#context,
      () => {
        isStream = Boolean(params?.stream);
        return prepareChat(this.#context, params, options, isStream);
      },
      (call) => (isStream ? this.#createStream(call) : createCompletion(this.#context, call)),
    );
  }

  /**
   * Starts a streamed chat completion and returns the stream immediately. Iterate over its chunks or its `text()`, or
   * await `final()`. Errors are thrown while you consume the stream; they are those of {@link ChatCompletions.create},
   * plus {@link StreamError} and its subclasses. If `response_format` is a schema, as in {@link ChatCompletions.parse},
   * `partialObjects()` yields the object as it is received and `final()` returns it as `parsed`.
   *
   * @example
   * ```ts
   * const stream = gateway.chat.completions.stream({
   *   model: 'aurora-chat',
   *   messages: [{ role: 'user', content: 'Why do ships float?' }],
   * });
   * for await (const text of stream.text()) process.stdout.write(text);
   * ```
   */
  stream<Output = never, Input = unknown>(
    params: StreamParams<Output, Input>,
    options?: RequestOptions,
  ): ChatStream<CompletionOf<Output>, Input>;
  stream(params: StreamParams<unknown>, options?: RequestOptions): ChatStream {
    return this.#stream(params, options);
  }

  #stream(
    params: StreamParams<unknown>,
    options: RequestOptions | undefined,
    whole?: Parameters<typeof asPart>[1],
  ): ChatStream {
    const { clock } = this.#context.config;
    try {
      const call = asPart(
        prepareChat(this.#context, { ...params, stream: true }, options, true),
        whole,
      );
      const open = (signal: AbortSignal) => this.#open(call, signal);
      return new ChatStream(pendingStream(open, call.options.signal, clock), call.transform);
    } catch (error) {
      const open = () => Promise.reject(error);
      return new ChatStream(pendingStream(open, undefined, clock), completionParser(undefined));
    }
  }

  /**
   * Creates a chat completion that matches a schema and returns it with the validated content of the first choice as
   * `parsed`. Accepts any Standard Schema that provides a JSON schema: zod 4.2 or later, arktype, or valibot with
   * `toStandardJsonSchema`. The schema is sent as `response_format: { type: 'json_schema', json_schema }`, named after
   * its title, and marked `strict` if every object requires all of its fields and allows no others. A completion that
   * does not match is not requested again, because that would be charged again.
   *
   * @throws {@link StructuredOutputError} if the model refuses, if the output is cut off, is not JSON, or does not
   * match the schema. The error holds the text, the completion and the metadata.
   * @throws {@link ConfigurationError} if the schema does not provide a JSON schema, or is not that of an object.
   * @throws the same errors as {@link ChatCompletions.create}.
   *
   * @example
   * ```ts
   * const { parsed } = await gateway.chat.completions.parse({
   *   model: 'aurora-chat',
   *   messages: [{ role: 'user', content: 'Name a port in Portugal.' }],
   *   response_format: z.object({ port: z.string() }),
   * });
   * console.log(parsed.port);
   * ```
   */
  parse<Output, Input>(
    params: ParseParams<Output, Input>,
    options?: RequestOptions,
  ): RequestPromise<ParsedCompletion<Output>>;
  parse(params: StreamParams<unknown>, options?: RequestOptions): RequestPromise<ChatCompletion> {
    const prepare = () => prepareChat(this.#context, params, options, false);
    return startRequest(this.#context, prepare, (call) => createParsed(this.#context, call));
  }

  /**
   * Describes a chat without sending it, for use with `gateway.batch`. If `response_format` is a schema, as in
   * {@link ChatCompletions.parse}, the rows of the batch have `parsed`.
   *
   * @throws {@link ConfigurationError} if `stream` is true. Other problems of the params fail the row.
   */
  submission<Output = never, Input = unknown>(
    params: ChatSubmissionParams<Output, Input>,
    options?: RequestOptions,
  ): ChatSubmission<Output> {
    checkValue('stream', Boolean(mergeExtraBody(params, options)?.stream), [
      (stream) => stream === false,
      'false: a row of a batch is not streamed',
    ]);
    const request = runNow(() => prepareChat(this.#context, params, options, false));
    return describeChat<Output>(this.#context, request, options);
  }

  /** @internal Recreates a submission from a journal or a queue, without its schema. */
  restore(params: { model: string }, fallback?: readonly string[]): ChatSubmission {
    const { model } = params;
    const body = JSON.stringify(params);
    const request = () => ({ model, body, transform: completionParser(undefined) });
    return describeChat(this.#context, request, { fallback });
  }

  /**
   * Runs a chat with tools: executes the tools that the model calls, sends their results back, and repeats until the
   * model responds without tool calls. The tool calls of one completion are executed in parallel, after their arguments
   * have been validated with the schema of the tool. Errors in a tool are reported to the model; see `onToolError`.
   * Each round is a separate, charged request with the retry rules of {@link ChatCompletions.create}. With `onStream`,
   * responses are streamed, and the run can fail with the errors of {@link ChatCompletions.stream}.
   *
   * Errors thrown during the run carry `run`: the conversation so far and its charges. Their `outcome` and message are
   * those of the whole run: once a round is complete, the outcome is `unknown`, and the message names the charge.
   *
   * @throws {@link PolygateError} if JSON cannot hold the result of a tool or of `onToolError`.
   * @throws {@link ToolRoundsError} if the model still calls tools after `maxRounds` requests.
   * @throws {@link AbortedError} if the signal aborts, even while tools are running; the `signal` of each tool aborts
   * too.
   * @throws {@link ConfigurationError} if a schema does not provide a JSON schema, or is not that of an object.
   * @throws the same errors as {@link ChatCompletions.create}.
   *
   * @example
   * ```ts
   * const run = await gateway.chat.completions.run({
   *   model: 'aurora-chat',
   *   messages: [{ role: 'user', content: 'How warm is the sea in Lisbon?' }],
   *   tools: [
   *     {
   *       name: 'sea_temperature',
   *       parameters: z.object({ city: z.string() }),
   *       execute: async ({ city }) => `17 °C in ${city}`,
   *     },
   *   ],
   * });
   * console.log(run.completion.choices[0]?.message.content);
   * ```
   */
  async run<Arguments extends readonly unknown[]>(
    params: RunParams<Arguments>,
    options: RunOptions = {},
  ): Promise<ToolRun> {
    checkRun(params, options);
    const context = this.#context;
    const { config } = context;
    const limits = limitsOf(config, monotonicNow(config.clock), options);
    const { deadline } = limits;
    return startRun(params, options, {
      ...limits,
      config,
      enter: captureContext(config),
      complete(round, own, observer) {
        const call = prepareChat(context, round, own, false);
        return createCompletion(context, asPart(call, { deadline, observer }));
      },
      stream: (round, own, observer) => this.#stream(round, own, { deadline, observer }),
    }).catch(throwToCaller);
  }

  async #createStream(prepared: PreparedChat) {
    const { response, meta, data } = await this.#open(prepared);
    return { response, meta, data: new Stream(data, meta()) };
  }

  /** Opens a stream. `signal` aborts the request and the stream that it returns. */
  #open(prepared: PreparedChat, signal?: AbortSignal) {
    const options = signal ? { ...prepared.options, signal } : prepared.options;
    const handle = openStream(prepared.choiceCount, options.signal);
    return execute(this.#context, { ...prepared, options }, handle);
  }
}

/** The call as a part of an operation with this deadline, which observes its calls; or the call itself. */
function asPart(
  call: PreparedChat,
  whole?: { readonly deadline: number; readonly observer: AttemptObserver },
): PreparedChat {
  if (whole === undefined) return call;
  const { deadline, observer } = whole;
  return { ...call, observer, options: { ...call.options, deadline } };
}
