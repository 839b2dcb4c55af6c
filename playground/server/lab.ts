import { randomUUID } from 'node:crypto';

import type { FaultMode, InvoiceLine, LabState } from '../shared/lab.ts';
import { attributeCharges } from './charges.ts';
import type { Upstream } from './gateway.ts';
import { Recorder } from './recorder.ts';
import { Switchboard } from './switchboard.ts';
import { Wallet } from './wallet.ts';

/** State changes within this many milliseconds are sent to the page in one event. */
const eventDelayMs = 60;

/** Server side of the control room: sends the state of the gateway as events and receives changes. */
export class Lab {
  readonly recorder: Recorder;
  readonly #upstream: Upstream;
  readonly #switchboard: Switchboard | undefined;
  readonly #wallet: Wallet | undefined;
  readonly #session = randomUUID();
  readonly #listeners = new Set<() => void>();
  #eventScheduled = false;

  constructor(upstream: Upstream) {
    const { mock, apiKey } = upstream;
    this.#upstream = upstream;
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
    let send = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = () =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(this.#state())}\n\n`));
        this.#listeners.add(send);
        send();
      },
      // The page has disconnected.
      cancel: () => {
        this.#listeners.delete(send);
      },
    });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return new Response(body, { headers });
  }

  #scheduleEvent(): void {
    if (this.#eventScheduled) return;
    this.#eventScheduled = true;
    setTimeout(() => {
      this.#eventScheduled = false;
      for (const send of this.#listeners) send();
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
