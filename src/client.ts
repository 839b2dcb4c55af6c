import { BaseClient } from './base-client.ts';
import type { BatchOptions, RecoverOptions } from './client/batch/options.ts';
import type { AnySubmission, RecoveredRow, RowOf } from './client/batch/results.ts';
import { startBatch, startRecovery } from './client/batch/start.ts';
import { createContext } from './client/call/context.ts';
import type { ClientContext } from './client/call/context.ts';
import { sendRawRequest } from './client/call/raw-request.ts';
import type { RawRequest } from './client/call/raw-request.ts';
import type { RequestOptions } from './client/call/request-options.ts';
import type { RequestPromise } from './client/call/request.ts';
import { resolveConfig } from './client/config/config.ts';
import type { PolygateOptions } from './client/config/options.ts';
import { createGatewayFetch, integrationContext } from './client/fetch/gateway-fetch.ts';
import type { IntegrationContext } from './client/fetch/gateway-fetch.ts';
import type { FetchOptions } from './client/fetch/send-fetch.ts';
import { createTransport, hooksRule } from './client/http/hooked-transport.ts';
import { Part } from './client/http/part.ts';
import type { DownloadResponse } from './client/tasks/download-body.ts';
import type { DownloadOptions } from './client/tasks/download.ts';
import { startDownload } from './client/tasks/start-download.ts';
import { parseReceipt } from './client/tasks/task.ts';
import type { Task } from './client/tasks/task.ts';
import { AccountNamespace } from './resources/account.ts';
import { Audio } from './resources/audio.ts';
import { Images } from './resources/images.ts';
import { Materials } from './resources/materials.ts';
import { Public } from './resources/public.ts';
import type { TaskNamespace } from './resources/task-namespace.ts';
import { Videos } from './resources/videos.ts';
import { Voices } from './resources/voices.ts';
import { clientContext } from './wire/types/client-defaults.ts';
import { unchecked } from './wire/types/schema.ts';
import type { Journal, TaskHandle } from './wire/types/tasks/task-handle.ts';
import type { Generation, Receipt, TaskKind } from './wire/types/tasks/task.ts';

/**
 * A client for the gateway: chat, images, videos, audio, voices, materials, models and account.
 *
 * @example
 * ```ts
 * const gateway = new Polygate({ apiKey: 'sk-…', baseURL: 'https://host.example' });
 * const image = await gateway.images.generate({ model: 'some-image-model', prompt: 'A harbor' });
 * ```
 */
export class Polygate extends BaseClient<PolygateOptions> {
  /** Account, readiness and key balance. */
  readonly account: AccountNamespace;
  /** Image generation. */
  readonly images: Images;
  /** Video generation. */
  readonly videos: Videos;
  /** Music generation and speech synthesis. */
  readonly audio: Audio;
  /** Voices for speech synthesis: list, clone and design. */
  readonly voices: Voices;
  /** Library of reusable media for video requests. */
  readonly materials: Materials;
  /** Public endpoints that need no credentials: status, pricing, error catalog, rate limits. */
  readonly public: Public;

  /**
   * A `fetch` that sends through this client, for other OpenAI-compatible libraries:
   * `new OpenAI({ apiKey: 'unused', baseURL: `${gateway.baseURL}/v1`, fetch: gateway.fetch, maxRetries: 0 })`.
   * Turn off the retries of the other library: it would repeat requests that may have been charged.
   *
   * `input` is a path that starts with `/`, a URL below `baseURL`, or a `Request`. A request is treated as the method
   * for its route treats it: the API key, retries, idempotency key, concurrency slot, ledger, budget, hooks and
   * telemetry are those of this client. A POST to an unknown route is sent once. Credentials of the caller are dropped.
   *
   * Error statuses and redirects resolve, with the body unread. A streamed chat that is cut off fails while its body is
   * read, with {@link StreamTruncatedError} or {@link StreamIdleTimeoutError}. It holds its slot until its body ends or
   * is canceled. Bodies are sent as they are, so there is no `fallback` to another model.
   *
   * @throws {@link ConfigurationError} if the URL is not below `baseURL`, or if a paid request has a stream as its body.
   * @throws {@link ConnectionError} or {@link RequestTimeoutError} if no complete response was received;
   * {@link ConcurrencyLimitError} if no slot became free; {@link BudgetExceededError}; {@link HookError}; and
   * {@link AbortedError} if the signal aborts.
   */
  readonly fetch: typeof globalThis.fetch;

  readonly #context: ClientContext;

  /**
   * Creates a client.
   *
   * @throws {@link ConfigurationError} if an option is unknown or invalid, if the base URL is missing or unsafe, or if
   * an API key is passed in a browser without `dangerouslyAllowBrowser`.
   */
  constructor(options?: PolygateOptions);
  constructor(options: PolygateOptions = {}, parent?: ClientContext) {
    const config = resolveConfig(options, { hooks: hooksRule });
    const context = createContext(config, createTransport(config), parent);
    super(context);
    this.#context = context;
    this.account = new AccountNamespace(context);
    this.images = new Images(context);
    this.videos = new Videos(context);
    this.audio = new Audio(context);
    this.voices = new Voices(context);
    this.materials = new Materials(context);
    this.public = new Public(context);
    this.fetch = this.#fetchWith({});
    context.priceLists = priceLists;
  }

  /** The URL below which `fetch` sends requests: that of the service, without `/v1` and without a trailing slash. */
  get baseURL(): string {
    return this.#context.config.baseURL;
  }

  /** @internal What integrations use, which read it with `contextOf` of `internal.ts`. */
  get [clientContext](): IntegrationContext {
    return integrationContext(this.#context, (options) => this.#fetchWith(options));
  }

  override withOptions(options: PolygateOptions): Polygate {
    return derive({ ...this.#context.config.options, ...options }, this.#context);
  }

  /**
   * Calls an endpoint for which this client has no method, with the credentials, retries, errors and metadata of all
   * other calls.
   *
   * @throws {@link ConfigurationError} if the method is not supported or the path is invalid or unsafe.
   */
  request<Result = unknown>(
    request: RawRequest<Result>,
    options?: RequestOptions,
  ): RequestPromise<Result> {
    return sendRawRequest(this.#context, request, options);
  }

  /**
   * Downloads a result and returns the response with its body as a stream. Sends no credentials and follows at most
   * three redirects, each of which is checked. If `source` is a task or generation whose result is not known yet, or its
   * URL has expired (403, 404 or 410), the client polls the task once for a fresh URL.
   *
   * @throws {@link ConfigurationError} if the URL is neither a public https URL nor a `data:` URL, unless
   * `allowInsecureBaseURL` is set, if there is no result at `index`, or if the task is still processing.
   * @throws {@link TaskFailedError} if the task has failed.
   * @throws {@link APIError} if the server responds with an error; {@link ConnectionError} if the connection fails.
   * While you read the body, it fails with {@link ConnectionError} if the connection breaks, if no byte arrives for
   * `streamIdleTimeout` ms, or if it is shorter than announced; with {@link ResponseValidationError} if it is larger
   * than `maxBytes`, or if the result of a task or a generation is no media (`code: 'no_media'`: it is empty, an HTML
   * page, JSON, or XML other than an SVG image); and with {@link AbortedError} if the signal aborts. After its end, `complete` of the response is
   * `'unverified'` if the server reported no size to compare with.
   *
   * @example
   * ```ts
   * const image = await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
   * const response = await gateway.download(image);
   * const bytes = await response.bytes();
   * ```
   */
  async download(
    source: string | Generation | TaskHandle,
    options?: DownloadOptions,
  ): Promise<DownloadResponse> {
    return startDownload(this.#context.config, source, (receipt) => this.resume(receipt), options);
  }

  /**
   * Returns the handle of a task from its receipt, in any process and at any later time. Sends no request. A value of
   * type `any` or `unknown`, such as the result of `JSON.parse`, is checked at run time, and may be the JSON text.
   *
   * @throws {@link ConfigurationError} if the receipt is malformed or has an unsupported version.
   *
   * @example
   * ```ts
   * const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
   * const stored = JSON.stringify(task);
   *
   * const { urls } = await gateway.resume(JSON.parse(stored)).wait();
   * ```
   */
  resume<Given>(
    receipt: unknown extends Given ? Given : Receipt,
  ): Task<Given extends Receipt<infer Kind> ? Kind : TaskKind>;
  resume(receipt: unknown): Task {
    const checked = parseReceipt(receipt);
    return this.#namespaceFor(checked.kind).task(checked);
  }

  /**
   * Submits one task per row as concurrency slots become free, and yields the result of each row as soon as it
   * finishes. `describe` returns the submission of a row, such as `gateway.images.submission(params)`; if it throws,
   * only this row fails. A failed row does not end the batch. With a journal, you can run the same batch again after a
   * crash without paying for a row twice.
   *
   * At the first 402 the batch pauses: it logs a warning, pulls and sends no more rows, waits for the rows that were
   * accepted, yields their results, and throws a {@link PaymentRequiredError} with the numbers of rows. Rows that were
   * rejected with a 402 or not sent are not yielded. Top up the balance and run it again with the same journal; without
   * a journal, run it only with the rows that were not yielded.
   *
   * The `signal` of a submission aborts only its row; the `signal` of the batch aborts all of them: rows that have
   * finished are yielded first, and `rows` of the error has the others, with their tasks and keys. After a `break`,
   * there is no error to carry them, so only a journal has them. A `break` sends nothing more, and returns when chats in
   * flight have been read to their end and recorded; an abort ends them at once.
   *
   * @throws {@link ConfigurationError} if an option is invalid, or if the journal has entries but no readable run id;
   * nothing was sent.
   * @throws {@link PaymentRequiredError} after all results, if a 402 has paused the batch.
   * @throws {@link AbortedError} after the results of all rows that have finished, if the signal aborts.
   *
   * @example
   * ```ts
   * const prompts = ['A harbor', 'A lighthouse'];
   * const describe = (prompt: string) => gateway.images.submission({ model: 'prism-image', prompt });
   * for await (const row of gateway.batch(prompts, describe, { journal: fileJournal('images.jsonl') })) {
   *   if (row.status === 'succeeded') console.log(row.input, row.generation.urls[0]);
   * }
   * ```
   */
  batch<Input, Described extends AnySubmission>(
    inputs: Iterable<Input> | AsyncIterable<Input>,
    describe: (input: Input, index: number) => Described | Promise<Described>,
    options: BatchOptions<Input> = {},
  ): AsyncGenerator<RowOf<Input, Described>, void, undefined> {
    const fetchModel = (model: string) => this.models.retrieve(model);
    return startBatch(this.#context, { inputs, describe, options, fetchModel });
  }

  /**
   * Recovers the unfinished rows in the journal of a terminated process. Waits for tasks that were accepted, and
   * resubmits rows whose params were stored, with their idempotency keys: rows with an unknown outcome, and rows that a
   * 402 kept from being submitted. Yields rows with an unknown outcome and without stored params with status `unknown`
   * and their keys. At the first 402, it pauses like a batch, but still waits for all accepted tasks. Damaged journal
   * lines are yielded first, as errors that identify the line.
   *
   * @throws {@link PaymentRequiredError} after all results, if a 402 has paused the recovery.
   * @throws {@link AbortedError} after the results of all rows that have finished, if the signal aborts; `rows` has the
   * others.
   *
   * @example
   * ```ts
   * for await (const row of gateway.recover(fileJournal('images.jsonl'))) {
   *   console.log(row.id, row.status);
   * }
   * ```
   */
  recover(
    journal: Journal,
    options: RecoverOptions = {},
  ): AsyncGenerator<RecoveredRow, void, undefined> {
    const recreate = {
      namespaceFor: (kind: TaskKind) => this.#namespaceFor(kind),
      chat: (params: { model: string }, fallback?: readonly string[]) =>
        this.chat.completions.restore(params, fallback),
    };
    const fetchModel = (model: string) => this.models.retrieve(model);
    return startRecovery(this.#context, { journal, recreate, options, fetchModel });
  }

  #fetchWith(options: FetchOptions): typeof globalThis.fetch {
    return createGatewayFetch(
      this.#context,
      (kind, details) => this.#namespaceFor(kind).submitted(details),
      options,
    );
  }

  /** Returns the namespace for a kind of task. */
  #namespaceFor(kind: TaskKind): TaskNamespace<TaskKind> {
    return { image: this.images, video: this.videos, audio: this.audio }[kind];
  }
}

/**
 * A client that shares the state of its parent if both use the same account. Defined outside the class, because the bundler
 * renames a class that refers to itself.
 */
function derive(...args: [options: PolygateOptions, parent: ClientContext]): Polygate {
  return unchecked(Reflect.construct(Polygate, args));
}

/** What a client with a budget needs to know prices before its first charge. */
export const priceLists = /* @__PURE__ */ new Part(() => import('./resources/price-list.ts'));
