import { batch } from './core/batch/batch.ts';
import type { BatchOptions, BatchRow, Describe } from './core/batch/batch.ts';
import type { BatchResult } from './core/batch/batch-result.ts';
import type { RecoverOptions } from './core/batch/runner.ts';
import { resolveConfig } from './core/config/config.ts';
import { download } from './core/tasks/download.ts';
import type { DownloadOptions, Downloadable } from './core/tasks/download.ts';
import { executeJson } from './core/call/endpoint.ts';
import type { ConcurrencyState } from './core/limits/concurrency-limiter.ts';
import type { PolygateOptions } from './core/config/options.ts';
import { describeRawRequest } from './core/call/raw-request.ts';
import type { RawRequest } from './core/call/raw-request.ts';
import { parseReceipt } from './core/tasks/receipt.ts';
import { recover } from './core/batch/recover.ts';
import type { Restore } from './core/batch/recover.ts';
import type { RequestPromise } from './core/call/request-promise.ts';
import { withIdempotencyKey, readWithSchema } from './core/call/api-call.ts';
import type { ResponseReader, RequestOptions } from './core/call/api-call.ts';
import { Sender } from './core/call/sender.ts';
import type { Shared } from './core/call/sender.ts';
import type { Task } from './core/tasks/task.ts';
import { Account } from './resources/account.ts';
import { Audio } from './resources/audio.ts';
import { Chat } from './resources/chat.ts';
import { Images } from './resources/images.ts';
import { Materials } from './resources/materials.ts';
import { Models } from './resources/models.ts';
import { Public } from './resources/public.ts';
import type { TaskNamespace } from './resources/task-namespace.ts';
import { Videos } from './resources/videos.ts';
import { Voices } from './resources/voices.ts';
import type { Spend } from './schemas/charge.ts';
import type { Journal } from './schemas/journal.ts';
import { unchecked } from './schemas/schema.ts';
import type { TaskHandle } from './schemas/task-handle.ts';
import type { Generation, Receipt, TaskKind } from './schemas/task.ts';

/**
 * A client of the gateway: chat, images, videos, audio and what belongs to them.
 *
 * @example
 * ```ts
 * const gateway = new Polygate({ apiKey: 'sk-…', baseURL: 'https://host.example' });
 * const image = await gateway.images.generate({ model: 'some-image-model', prompt: 'A harbour' });
 * ```
 */
export class Polygate {
  /** The wallet, readiness and the key's own balance. */
  readonly account: Account;
  /** The models that the key can use, with their prices. */
  readonly models: Models;
  /** Chat, whole or streamed. */
  readonly chat: Chat;
  /** Images from text or from other images. */
  readonly images: Images;
  /** Videos from text, images, videos or materials. */
  readonly videos: Videos;
  /** Music and speech. */
  readonly audio: Audio;
  /** Voices for speech. */
  readonly voices: Voices;
  /** The library of reusable media for video requests. */
  readonly materials: Materials;
  /** What anybody may ask: status, prices, errors, limits. */
  readonly public: Public;

  readonly #sender: Sender;

  /**
   * @throws {@link ConfigurationError} when an option is unknown or wrong, the base URL is missing or unsafe, or a key
   * is given in a browser.
   */
  constructor(options?: PolygateOptions);
  /** @internal Clients made by `withOptions` share one ledger and one queue. */
  constructor(options: PolygateOptions, shared: Shared);
  constructor(options: PolygateOptions = {}, shared?: Shared) {
    const sender = new Sender(resolveConfig(options), shared);
    this.#sender = sender;
    this.account = new Account(sender);
    this.models = new Models(sender);
    this.chat = new Chat(sender);
    this.images = new Images(sender);
    this.videos = new Videos(sender);
    this.audio = new Audio(sender);
    this.voices = new Voices(sender);
    this.materials = new Materials(sender);
    this.public = new Public(sender);
  }

  /** What this client, and every client made from it, has spent; a live view. */
  get spend(): Spend {
    return this.#sender.shared.ledger.view();
  }

  /** The account's concurrency as this client sees it; a live view. */
  get concurrency(): ConcurrencyState {
    return this.#sender.shared.governor.view();
  }

  /** A client with other options that shares the ledger and the concurrency queue of this one. */
  withOptions(options: PolygateOptions): Polygate {
    return derive({ ...this.#sender.config.options, ...options }, this.#sender.shared);
  }

  /**
   * Calls anything that has no method of its own, with the same credentials, retries, errors and metadata.
   *
   * @throws {@link ConfigurationError} when the path could lead elsewhere.
   */
  request<Result = unknown>(
    request: RawRequest<Result>,
    options: RequestOptions = {},
  ): RequestPromise<Result> {
    const read: ResponseReader<Result> =
      request.schema === undefined
        ? (body) => ({ value: unchecked<Result>(body) })
        : readWithSchema(request.schema);
    const ready = request.idempotent ? withIdempotencyKey(options) : options;
    return executeJson(this.#sender, () => describeRawRequest(request), read, ready);
  }

  /**
   * Fetches a result as a stream: without credentials, through at most three redirects, each checked. Of a task or a
   * generation whose URL has expired a fresh one is asked for, once.
   *
   * @throws {@link ConfigurationError} when the address is not https and public, unless `allowInsecureBaseURL` is set.
   * @throws {@link APIError} when the answer is an error, {@link ConnectionError} when none came.
   */
  download(source: string | Generation | TaskHandle, options?: DownloadOptions): Promise<Response> {
    return download(this.#sender, this.#downloadable(source), options);
  }

  /**
   * The handle of a task that was submitted before, by its receipt: in any process, on any day. Nothing is sent.
   *
   * @throws {@link ConfigurationError} when the receipt is damaged or of another version.
   */
  resume<Kind extends TaskKind>(receipt: Receipt<Kind>): Task<Kind>;
  /** A receipt straight from `JSON.parse`. */
  resume(receipt: unknown): Task;
  resume(receipt: unknown): Task {
    const checked = parseReceipt(receipt);
    return this.#makerOf(checked.kind).task(checked);
  }

  /**
   * Submits many rows, as slots come free, and yields what comes of each as soon as it is there; a row that fails ends
   * nothing. With a journal, the same batch can be run again after a crash: no row is paid twice.
   *
   * @throws {@link ConfigurationError} when the journal's run cannot be read: nothing was sent.
   * @throws {@link AbortedError} when the signal aborts; the journal knows what was submitted.
   */
  batch<Input, Kind extends TaskKind>(
    inputs: Iterable<Input> | AsyncIterable<Input>,
    describe: Describe<Input, Kind>,
    options: BatchOptions<Input> = {},
  ): AsyncGenerator<BatchRow<Input, Kind>, void, undefined> {
    return batch(this.#sender, inputs, describe, options);
  }

  /**
   * Takes up what a dead process left in the journal of a batch: waits for its tasks, asks again with the same key where
   * the params were written down, and yields the rest as `unknown` with their keys. Damaged lines come first, as errors
   * that name them.
   *
   * @throws {@link AbortedError} when the signal aborts.
   */
  recover(
    journal: Journal,
    options: RecoverOptions = {},
  ): AsyncGenerator<BatchResult, void, undefined> {
    const restore: Restore = {
      submission: (kind, path, params) => this.#makerOf(kind).restore(path, params),
      task: (receipt) => this.resume(receipt),
    };
    return recover(this.#sender, journal, restore, options);
  }

  /** The namespace of a kind of task. */
  #makerOf(kind: TaskKind): TaskNamespace<TaskKind> {
    return { image: this.images, video: this.videos, audio: this.audio }[kind];
  }

  #downloadable(source: string | Generation | TaskHandle): Downloadable {
    if (typeof source === 'string') return { urls: () => [source] };
    const { kind, id } = source;
    const urls = () => ('urls' in source ? source.urls : source.latest?.urls);
    // A finished answer may name no task: there is nothing to ask again.
    if (id === '') return { urls };
    const task = 'wait' in source ? source : this.resume({ v: 1, kind, id });
    return { urls, renew: async () => task.retrieve() };
  }
}

/** Outside of the class, because a class that names itself loses its name in the bundle. */
function derive(options: PolygateOptions, shared: Shared): Polygate {
  return new Polygate(options, shared);
}
