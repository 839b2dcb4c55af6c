import type { MockGateway } from 'polygate/mock';

import type { FaultMode, InvoiceLine, LabState } from '../shared/lab.ts';
import { attributeCharges } from './charges.ts';
import { Recorder } from './recorder.ts';
import { Switchboard } from './switchboard.ts';
import { Wallet } from './wallet.ts';

/** State changes within this many milliseconds are sent to the page in one event. */
const eventDelayMs = 60;

/** The gateway behind the playground. */
export interface Upstream {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
  /** Only set for the reference gateway. */
  mock?: MockGateway | undefined;
  /** Changes when the gateway has lost its tasks. By default, it is as old as this object. */
  session?: string | undefined;
}

/** The control room's view of the gateway: sends its state as events and receives changes. It runs on a server, and in the page. */
export class Lab {
  readonly recorder: Recorder;
  readonly #upstream: Upstream;
  readonly #switchboard: Switchboard | undefined;
  readonly #wallet: Wallet | undefined;
  readonly #session: string;
  readonly #listeners = new Set<(state: LabState) => void>();
  #eventScheduled = false;

  constructor(upstream: Upstream) {
    const { mock, apiKey } = upstream;
    this.#upstream = upstream;
    this.#session = upstream.session ?? crypto.randomUUID();
    this.#switchboard = mock && new Switchboard(mock);
    this.#wallet = mock && new Wallet(mock);
    this.recorder = new Recorder(() => {
      this.#switchboard?.resetTriggered();
      this.#scheduleEvent();
    }, apiKey);
  }

  /**
   * Handles `GET /api/lab/events` and `GET /api/lab/attempts/{number}`, and `POST /api/lab/` with `switch`, `clear`,
   * `top-up` or `reset`.
   */
  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const site = request.headers.get('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') return new Response(null, { status: 403 });
    const path = pathname.slice('/api/lab/'.length);
    if (request.method === 'POST') return this.#change(path, request);
    if (path === 'events') return this.#events();
    const [, number] = /^attempts\/(\d+)$/.exec(path) ?? [];
    const exchange = this.recorder.exchange(Number(number));
    return exchange === undefined ? new Response(null, { status: 404 }) : Response.json(exchange);
  }

  /** Calls a function with the current state, and whenever it has changed. Returns a function that stops this. */
  subscribe(listener: (state: LabState) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state());
    return () => this.#listeners.delete(listener);
  }

  async #change(path: string, request: Request): Promise<Response> {
    const body: unknown = await request.json().catch(() => undefined);
    const status = this.#apply(path, typeof body === 'object' && body ? body : {});
    if (status === 204) this.#scheduleEvent();
    return new Response(null, { status });
  }

  /** Returns the status of the response. */
  #apply(path: string, body: { id?: unknown; mode?: unknown; usd?: unknown }): number {
    switch (path) {
      case 'switch': {
        const mode = modes.find((candidate) => candidate === body.mode);
        if (mode === undefined) return 400;
        return this.#switchboard?.set(String(body.id), mode) === true ? 204 : 400;
      }
      case 'clear':
        this.recorder.clear();
        return 204;
      case 'top-up':
        if (this.#wallet === undefined) return 404;
        return this.#wallet.topUp(body.usd) ? 204 : 400;
      case 'reset':
        if (this.#wallet === undefined) return 404;
        if (!this.#wallet.reset()) return 409;
        // Its charges would no longer be on the invoice.
        this.recorder.clear();
        return 204;
      default:
        return 404;
    }
  }

  #events(): Response {
    const encoder = new TextEncoder();
    let unsubscribe = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        unsubscribe = this.subscribe((state) =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(state)}\n\n`)),
        );
      },
      // The page has disconnected.
      cancel: () => unsubscribe(),
    });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return new Response(body, { headers });
  }

  #scheduleEvent(): void {
    if (this.#eventScheduled) return;
    this.#eventScheduled = true;
    setTimeout(() => {
      this.#eventScheduled = false;
      for (const listener of this.#listeners) listener(this.#state());
    }, eventDelayMs);
  }

  #state(): LabState {
    const { mock, baseURL } = this.#upstream;
    const { host } = new URL(baseURL);
    const invoice = mock?.invoice.map(
      ({ at, usd, model, route, idempotencyKey, requestId, kind }): InvoiceLine => ({
        at,
        usd,
        model,
        route,
        key: idempotencyKey,
        requestId,
        kind,
      }),
    );
    return {
      session: mock === undefined ? host : this.#session,
      gateway: { kind: mock === undefined ? 'real' : 'reference', host },
      switches: this.#switchboard?.switches ?? [],
      attempts: attributeCharges(this.recorder.attempts, invoice),
      invoice,
      wallet: this.#wallet?.state,
    };
  }
}

const modes: readonly FaultMode[] = ['off', 'once', 'often', 'always'];
