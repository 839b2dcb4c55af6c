import type { MockResponse } from './response/response.ts';
import { json, text } from './response/response.ts';
import { readBody } from './body.ts';
import type { ReceivedBody } from './body.ts';
import { connectionError } from './connection-error.ts';
import { toResponse } from './response/to-response.ts';
import type { Auth } from './endpoint.ts';
import { errorCode, errorMessage } from './response/error-body.ts';
import type { Fault, Faults } from './faults.ts';
import { receive } from './incoming.ts';
import type { Incoming } from './incoming.ts';
import { handleRequest, toErrorResponse } from './pipeline.ts';
import type { ReceivedRequest, HandledRequest } from './pipeline.ts';
import type { Recorder } from './recorder.ts';
import type { MockRequest } from '../records.ts';
import { GatewayError } from './response/gateway-error.ts';
import { EndpointRouter } from './router.ts';
import type { Services } from '../services.ts';

/** A caller's own request id is kept when it is short and visible. */
const usableId = /^[!-~]{1,200}$/;

/** The gateway behind `mock.fetch`: from what `fetch` takes to what it gives. */
export class GatewayServer {
  readonly #services: Services;
  readonly #faults: Faults;
  readonly #recorder: Recorder;
  readonly #router: EndpointRouter;

  constructor(services: Services, faults: Faults, recorder: Recorder) {
    this.#services = services;
    this.#faults = faults;
    this.#recorder = recorder;
    this.#router = new EndpointRouter(services.endpoints);
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const incoming = receive(input, init);
    const { signal } = incoming;
    signal?.throwIfAborted();
    const fault = this.#faults.take(incoming.method, incoming.url.pathname);
    if (fault?.unreachable === true) throw connectionError('refused');
    const read = readBody(incoming, this.#services.settings.maxBodyBytes);
    const body = await untilAborted(read, signal);
    const request = this.#record(incoming, body);
    if (fault?.reset === 'before') {
      await this.#wait(fault, signal);
      throw connectionError('reset');
    }
    const handled = await this.#handle({ incoming, requestId: request.requestId, body }, fault);
    return this.#answer(incoming, request, handled, fault);
  }

  /** Handles the request, unless a fault answers in its place. */
  async #handle(arrival: ReceivedRequest, fault: Fault | undefined): Promise<HandledRequest> {
    if (!isInstead(fault)) return handleRequest(this.#services, this.#router, arrival);
    const answer = this.#faultAnswer(fault, this.#router.authAt(arrival.incoming.url.pathname));
    if (fault.handled !== true) return { answer, release: () => {} };
    const { release } = await handleRequest(this.#services, this.#router, arrival);
    return { answer, release };
  }

  /**
   * Waits where a fault or a latency says so, then hands the answer out or drops the connection.
   */
  async #answer(
    incoming: Incoming,
    request: MockRequest,
    { answer, release }: HandledRequest,
    fault: Fault | undefined,
  ): Promise<Response> {
    const { signal } = incoming;
    const { clock, settings } = this.#services;
    try {
      await this.#wait(fault, signal);
      if (fault?.stallHeaders === true) await untilAborted(new Promise(() => {}), signal);
      if (fault?.reset === 'after') throw connectionError('reset');
      signal?.throwIfAborted();
    } catch (reason) {
      release();
      throw reason;
    }
    request.status = fault?.malformed === true ? 200 : answer.status;
    this.#addCommonHeaders(answer, request);
    this.#services.health.record(request.status);
    this.#recorder.answered(request, answer, clock.now());
    const { chunkDelayMs } = settings;
    const response = toResponse(answer, { clock, fault, signal, chunkDelayMs, release });
    if (answer.status >= 300 && answer.status < 400 && incoming.redirect === 'error') {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    if (incoming.method !== 'HEAD') return response;
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  }

  #record(incoming: Incoming, body: ReceivedBody): MockRequest {
    const { id, clock } = this.#services;
    const sent = incoming.headers.get('x-request-id') ?? '';
    const request: MockRequest = {
      method: incoming.method,
      path: incoming.url.pathname,
      search: incoming.url.search,
      headers: Object.fromEntries(incoming.headers),
      body: body.value,
      bodyText: body.text,
      at: clock.now(),
      requestId: usableId.test(sent) ? sent : id('req_'),
      status: undefined,
    };
    this.#recorder.recordRequest(request);
    return request;
  }

  async #wait(fault: Fault | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { clock, settings } = this.#services;
    const ms = settings.latencyMs + (fault?.delayMs ?? 0);
    if (ms > 0) await clock.sleep(ms, signal);
  }

  #addCommonHeaders(answer: MockResponse, request: MockRequest): void {
    const { assumptions, clock } = this.#services;
    answer.headers['x-request-id'] = request.requestId;
    answer.headers[assumptions.A10] = request.requestId;
    answer.headers.date = new Date(clock.now()).toUTCString();
  }

  #faultAnswer(fault: Fault, auth: Auth | undefined): MockResponse {
    const status = fault.status ?? (fault.body === undefined ? 400 : 200);
    const headers: Record<string, string> = {};
    if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
    if (typeof fault.body === 'string') {
      return text(status, 'text/plain; charset=utf-8', fault.body, headers);
    }
    if (fault.body !== undefined) return json(status, fault.body, headers);
    if (status < 400) return json(status, {}, headers);
    // The envelope of the key balance has no place for a code: one that is asked for gets the usual.
    const envelope = fault.code === undefined ? auth : undefined;
    const code = fault.code ?? errorCode(status);
    const message = fault.message ?? errorMessage(status, envelope);
    return toErrorResponse(
      this.#services,
      new GatewayError(status, code, message, headers),
      envelope,
    );
  }
}

/** Whether a fault answers in place of the endpoint. */
function isInstead(fault: Fault | undefined): fault is Fault {
  return fault?.status !== undefined || fault?.body !== undefined || fault?.code !== undefined;
}

/** The promise, or a rejection with the signal's reason as soon as that is aborted. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settled = (): void => {
      signal.removeEventListener('abort', stop);
    };
    promise.then(resolve, reject).finally(settled);
  });
}
