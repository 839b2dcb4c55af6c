import { randomUUID } from 'node:crypto';

import type { FaultMode, LabState } from '../shared/lab.ts';
import type { Upstream } from './gateway.ts';
import { Recorder } from './recorder.ts';
import { Switchboard } from './switchboard.ts';

/** Changes that come close together are told at once, ms. */
const pause = 60;

/** The control room's server side: what it sees goes out as events, and what is switched comes in. */
export class Lab {
  readonly recorder: Recorder;
  readonly #upstream: Upstream;
  readonly #switchboard: Switchboard | undefined;
  readonly #session = randomUUID();
  readonly #listeners = new Set<() => void>();
  #telling = false;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#switchboard = upstream.mock && new Switchboard(upstream.mock);
    this.recorder = new Recorder(() => {
      this.#switchboard?.settle();
      this.#changed();
    });
  }

  /** `GET /api/lab/events` and `POST /api/lab/switch`. */
  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const site = request.headers.get('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') return new Response(null, { status: 403 });
    if (pathname === '/api/lab/events') return this.#events();
    if (pathname === '/api/lab/switch' && request.method === 'POST') return this.#turn(request);
    return new Response(null, { status: 404 });
  }

  async #turn(request: Request): Promise<Response> {
    const { id, mode } = readTurn(await request.json().catch(() => undefined));
    if (mode === undefined || this.#switchboard?.turn(id, mode) !== true) {
      return new Response(null, { status: 400 });
    }
    this.#changed();
    return new Response(null, { status: 204 });
  }

  #events(): Response {
    const encoder = new TextEncoder();
    let tell = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        tell = () =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(this.#state())}\n\n`));
        this.#listeners.add(tell);
        tell();
      },
      // The page has left.
      cancel: () => {
        this.#listeners.delete(tell);
      },
    });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return new Response(body, { headers });
  }

  #changed(): void {
    if (this.#telling) return;
    this.#telling = true;
    setTimeout(() => {
      this.#telling = false;
      for (const tell of this.#listeners) tell();
    }, pause);
  }

  #state(): LabState {
    const { mock, baseURL } = this.#upstream;
    return {
      session: mock === undefined ? new URL(baseURL).host : this.#session,
      gateway: { kind: mock === undefined ? 'real' : 'reference', host: new URL(baseURL).host },
      switches: this.#switchboard?.switches ?? [],
      attempts: this.recorder.attempts,
      invoice: mock?.invoice.map(({ at, usd, model, route, idempotencyKey, kind }) => ({
        at,
        usd,
        model,
        route,
        key: idempotencyKey,
        kind,
      })),
    };
  }
}

function readTurn(body: unknown): { id: string; mode: FaultMode | undefined } {
  const given: { id?: unknown; mode?: unknown } = typeof body === 'object' && body ? body : {};
  const modes: readonly FaultMode[] = ['off', 'once', 'often', 'always'];
  return { id: String(given.id), mode: modes.find((mode) => mode === given.mode) };
}
