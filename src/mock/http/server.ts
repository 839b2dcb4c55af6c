import type { LostResponse, MockRequest } from '../gateway.ts';
import type { Visit } from '../in-flight.ts';
import { connectionError, toResponse } from './delivery.ts';
import type { Auth, Endpoint, Services } from './endpoint.ts';
import { errorCode, errorMessage } from './errors.ts';
import type { Fault, Faults } from './faults.ts';
import { readBody, toIncomingRequest } from './incoming.ts';
import type { ReceivedBody, IncomingRequest } from './incoming.ts';
import { handleRequest, toErrorResponse, EndpointRouter } from './pipeline.ts';
import type { ReceivedRequest } from './pipeline.ts';
import type { Recorder } from './recorder.ts';
import { GatewayError, json, bodyResponse } from './response.ts';
import type { HandledRequest, MockResponse } from './response.ts';

/** The gateway keeps a request id from the caller if it is short and consists of visible ASCII characters. */
const validRequestId = /^[!-~]{1,200}$/;

/** Implements `mock.fetch`: receives a request, applies faults, and delivers the response. */
export class GatewayServer {
  readonly #services: Services;
  readonly #faults: Faults;
  readonly #recorder: Recorder;
  readonly #router: EndpointRouter;

  constructor(
    services: Services,
    endpoints: readonly Endpoint[],
    faults: Faults,
    recorder: Recorder,
  ) {
    this.#services = services;
    this.#faults = faults;
    this.#recorder = recorder;
    this.#router = new EndpointRouter(endpoints);
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const incoming = toIncomingRequest(input, init);
    const { signal } = incoming;
    signal?.throwIfAborted();
    const { method } = incoming;
    const { pathname } = incoming.url;
    const read = () =>
      untilAborted(readBody(incoming, this.#services.settings.maxBodyBytes), signal);
    const early = this.#faults.dependOnBody(incoming) ? await read() : undefined;
    const fault = this.#faults.take(incoming, early?.value);
    if (fault?.unreachable === true) {
      this.#recorder.reportRefused(method, pathname, fault);
      throw connectionError('refused');
    }
    const body = early ?? (await read());
    const request = this.#record(incoming, body);
    const visit = this.#services.inFlight.arrive();
    if (fault?.reset === 'before') {
      await this.#delay(fault, signal).finally(() => visit.leave());
      this.#recorder.reportLost(request, 'reset', { fault, now: this.#services.clock.now() });
      throw connectionError('reset');
    }
    const handled = await this.#handle({ incoming, requestId: request.requestId, body }, fault);
    return this.#respond(incoming, request, handled, fault, visit);
  }

  /** Handles the request, unless a fault without `handled` replaces its response. */
  async #handle(received: ReceivedRequest, fault: Fault | undefined): Promise<HandledRequest> {
    if (!replacesResponse(fault)) return handleRequest(this.#services, this.#router, received);
    const auth = this.#router.authAt(received.incoming.url.pathname);
    const response = this.#faultResponse(fault, auth);
    if (fault.handled !== true) {
      return { response, release: () => {}, chargeUsd: undefined, replay: false };
    }
    return { ...(await handleRequest(this.#services, this.#router, received)), response };
  }

  /** Applies latency and faults, then delivers the response or drops the connection. */
  async #respond(
    incoming: IncomingRequest,
    request: MockRequest,
    handled: HandledRequest,
    fault: Fault | undefined,
    visit: Visit,
  ): Promise<Response> {
    const { signal } = incoming;
    const { response } = handled;
    const release = (): void => {
      handled.release();
      visit.leave();
    };
    const { clock, settings } = this.#services;
    let lost: LostResponse = 'disconnected';
    const reportLost = (): void => {
      this.#recorder.reportLost(request, lost, { handled, fault, now: clock.now() });
    };
    try {
      await this.#delay(fault, signal);
      signal?.throwIfAborted();
      if (fault?.stallHeaders === true) {
        lost = 'stalled';
        // Not when the caller gives up: by then, the process may have been killed.
        reportLost();
        await untilAborted(new Promise(() => {}), signal);
      }
      if (fault?.reset === 'after') {
        lost = 'reset';
        throw connectionError('reset');
      }
    } catch (reason) {
      release();
      if (lost !== 'stalled') reportLost();
      throw reason;
    }
    request.status = fault?.malformed === true ? 200 : response.status;
    this.#addCommonHeaders(response, request);
    this.#services.health.record(request.status);
    this.#recorder.reportResponse(request, handled, { fault, now: clock.now() });
    const { chunkDelayMs } = settings;
    const delivered = toResponse(response, { clock, fault, signal, chunkDelayMs, release, visit });
    if (response.status >= 300 && response.status < 400 && incoming.redirect === 'error') {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    }
    if (incoming.method !== 'HEAD') return delivered;
    await delivered.body?.cancel();
    return new Response(null, { status: delivered.status, headers: delivered.headers });
  }

  #record(incoming: IncomingRequest, body: ReceivedBody): MockRequest {
    const { makeId, clock } = this.#services;
    const callerId = incoming.headers.get('x-request-id') ?? '';
    const request: MockRequest = {
      method: incoming.method,
      path: incoming.url.pathname,
      search: incoming.url.search,
      headers: Object.fromEntries(incoming.headers),
      body: body.value,
      bodyText: body.text,
      at: clock.now(),
      requestId: validRequestId.test(callerId) ? callerId : makeId('req_'),
      status: undefined,
    };
    this.#recorder.recordRequest(request);
    return request;
  }

  async #delay(fault: Fault | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { clock, settings } = this.#services;
    const ms = settings.latencyMs + (fault?.delayMs ?? 0);
    if (ms > 0) await clock.sleep(ms, signal);
  }

  #addCommonHeaders(response: MockResponse, request: MockRequest): void {
    const { assumptions, clock } = this.#services;
    response.headers['x-request-id'] = request.requestId;
    response.headers[assumptions.A10] = request.requestId;
    response.headers.date = new Date(clock.now()).toUTCString();
  }

  #faultResponse(fault: Fault, auth: Auth | undefined): MockResponse {
    const status = fault.status ?? (fault.body === undefined ? 400 : 200);
    const headers: Record<string, string> = {};
    if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
    if (typeof fault.body === 'string') {
      return bodyResponse(status, 'text/plain; charset=utf-8', fault.body, headers);
    }
    if (fault.body !== undefined) return json(status, fault.body, headers);
    if (status < 400) return json(status, {}, headers);
    // The error envelope of the key balance endpoint has no code, so a fault with a code gets the standard envelope.
    const envelope = fault.code === undefined ? auth : undefined;
    const code = fault.code ?? errorCode(status);
    const message = fault.message ?? errorMessage(status, envelope);
    const error = new GatewayError(status, code, message, headers);
    return toErrorResponse(this.#services, error, envelope);
  }
}

/** Whether a fault replaces the response of the endpoint. */
function replacesResponse(fault: Fault | undefined): fault is Fault {
  return fault?.status !== undefined || fault?.body !== undefined || fault?.code !== undefined;
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const cleanUp = (): void => {
      signal.removeEventListener('abort', onAbort);
    };
    promise.then(resolve, reject).finally(cleanUp);
  });
}
