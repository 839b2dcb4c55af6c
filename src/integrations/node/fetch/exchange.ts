import type { BodyReader } from '../../../internal.ts';
import type { DispatchController } from './dispatcher.ts';
import { isConnectable } from './request.ts';
import type { OutgoingRequest } from './request.ts';

/** Maximum amount of unread data. Beyond this, the sender is slowed down. */
const maxQueuedBytes = 65_536;

/** The start of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as bytes, if undici keeps them. */
  readonly raw: unknown;
}

/**
 * One request on a dispatcher, and the body of its response. The promise `head` settles with the start of the response.
 */
export class Exchange implements BodyReader {
  readonly head: Promise<ResponseHead>;
  readonly #signal: AbortSignal | undefined;
  /** Whether undici may send the request again: it knows that the server has not processed it, or the method is safe. */
  readonly #mayReplay: boolean;
  #resolve: (head: ResponseHead) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #controller: DispatchController | undefined;
  #hasHead = false;
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #isPaused = false;
  #pieces: Uint8Array[] = [];
  #queuedBytes = 0;
  #pendingRead:
    | { resolve: (result: ReadResult) => void; reject: (error: unknown) => void }
    | undefined;

  constructor(signal: AbortSignal | undefined, mayReplay: boolean) {
    this.#signal = signal;
    this.#mayReplay = mayReplay;
    this.head = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener('abort', this);
  }

  /** Called when the signal aborts. */
  handleEvent(): void {
    this.#fail(this.#signal?.reason);
    this.#close();
  }

  onRequestStart(controller: DispatchController): void {
    const isReplayed = this.#controller !== undefined;
    this.#controller = controller;
    if (this.#failure) this.#close();
    else if (isReplayed && !this.#mayReplay) {
      controller.abort(
        new Error('the connection was lost, and the request may have been received'),
      );
    }
  }

  onResponseStart(
    controller: DispatchController,
    status: number,
    headers: ResponseHead['headers'],
    statusText = '',
  ): void {
    // A response may follow several informational ones.
    if (status < 200) return;
    this.#hasHead = true;
    this.#resolve({ status, statusText, headers, raw: controller.rawHeaders });
  }

  onResponseData(controller: DispatchController, data: Uint8Array): void {
    const reading = this.#pendingRead;
    if (reading) {
      this.#pendingRead = undefined;
      reading.resolve({ done: false, value: data });
      return;
    }
    this.#pieces.push(data);
    this.#queuedBytes += data.byteLength;
    if (this.#queuedBytes < maxQueuedBytes) return;
    this.#isPaused = true;
    controller.pause();
  }

  onResponseEnd(): void {
    this.#end();
    this.#pendingRead?.resolve(endOfBody);
  }

  onResponseError(_: unknown, cause: unknown): void {
    // As `fetch` words it.
    this.#fail(new TypeError(this.#hasHead ? 'terminated' : 'fetch failed', { cause }));
  }

  /** Whether the entire response has been received, or nothing more of it will be. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  read(): Promise<ReadResult> {
    if (this.#signal?.aborted) return Promise.reject(this.#signal.reason);
    const [first] = this.#pieces;
    if (first) {
      // One piece takes a reader less time than many.
      const value = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#queuedBytes = 0;
      if (this.#isPaused) this.#resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#hasEnded) return Promise.resolve(endOfBody);
    return new Promise((resolve, reject) => {
      this.#pendingRead = { resolve, reject };
    });
  }

  /** Cancels the body, because what could read it is no longer referenced. */
  abandon(): void {
    if (!this.#pendingRead) void this.cancel();
  }

  /** Drops the rest of the body, and closes the connection if there is more of it. */
  cancel(): Promise<void> {
    this.#pieces = [];
    if (!this.#hasEnded) {
      this.#end();
      this.#pendingRead?.resolve(endOfBody);
      this.#close();
    }
    return Promise.resolve();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#controller?.resume();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#signal?.removeEventListener('abort', this);
  }

  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#failure = { error };
    this.#reject(error);
    this.#pendingRead?.reject(error);
  }

  #close(): void {
    this.#controller?.abort(new Error('the request was aborted'));
  }
}

type ReadResult = Awaited<ReturnType<BodyReader['read']>>;

const endOfBody: ReadResult = { done: true };

/** The value of one header, as `Headers.get` returns it. */
export function headerValue({ headers }: ResponseHead, name: string): string | null {
  const value = headers[name] ?? headers[name.toLowerCase()];
  if (value === undefined || !Object.hasOwn(headers, name.toLowerCase())) return null;
  return typeof value === 'string' ? value.trim() : value.map((part) => part.trim()).join(', ');
}

/** All headers. Bytes are decoded as Latin-1, as `fetch` does: undici may decode them as UTF-8. */
export function createHeaders({ headers, raw }: ResponseHead): Headers {
  const created = new Headers();
  for (const [name, value] of isByteList(raw) ? pairs(raw) : Object.entries(headers)) {
    for (const part of [value ?? []].flat()) created.append(name, part);
  }
  return created;
}

const isByteList = (raw: unknown): raw is Buffer[] =>
  Array.isArray(raw) && raw.every((item) => Buffer.isBuffer(item));

function* pairs(raw: readonly Buffer[]): Generator<[name: string, value: string]> {
  for (let index = 1; index < raw.length; index += 2) {
    yield [String(raw[index - 1]), raw[index]?.toString('latin1') ?? ''];
  }
}

/** Headers that authorize a request, and must not reach another server. */
const credentials = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'host',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
];

/** Headers that describe a body. */
const bodyHeaders = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
];

/** Whether a response redirects. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The request that follows a redirect, as `fetch` makes it.
 *
 * @throws if it cannot be followed.
 */
export function redirectedRequest(
  request: OutgoingRequest,
  status: number,
  location: string,
): OutgoingRequest {
  const url = new URL(location, request.url);
  if (!isConnectable(url)) throw new Error('the target must be an HTTP server');
  const { method } = request;
  const headers = { ...request.headers };
  if (url.origin !== request.url.origin) {
    if (url.username || url.password) throw new Error('cross origin not allowed');
    for (const name of credentials) delete headers[name];
  }
  const becomesGet =
    ((status === 301 || status === 302) && method === 'POST') ||
    (status === 303 && method !== 'GET' && method !== 'HEAD');
  if (becomesGet) {
    for (const name of bodyHeaders) delete headers[name];
    return { ...request, url, method: 'GET', headers, body: null };
  }
  if (request.body !== null && Symbol.asyncIterator in Object(request.body)) {
    throw new Error('a stream cannot be sent again to the target of a redirect');
  }
  return { ...request, url, headers };
}
