import { randomUUID } from 'node:crypto';

import type { FaultMode, LabState } from '../shared/lab.ts';
import type { Upstream } from './gateway.ts';
import { Recorder } from './recorder.ts';
import { Switchboard } from './switchboard.ts';

/** State changes within this many milliseconds are sent to the page in one event. */
const eventDelayMs = 60;

/** Server side of the control room: sends the state of the gateway as events and receives switch changes. */
export class Lab {
  readonly recorder: Recorder;
  readonly #upstream: Upstream;
  readonly #switchboard: Switchboard | undefined;
  readonly #session = randomUUID();
  readonly #listeners = new Set<() => void>();
  #eventScheduled = false;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#switchboard = upstream.mock && new Switchboard(upstream.mock);
    this.recorder = new Recorder(() => {
      this.#switchboard?.resetTriggered();
      this.#scheduleEvent();
    });
  }

  /** Handles `GET /api/lab/events` and `POST /api/lab/switch`. */
  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const site = request.headers.get('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') return new Response(null, { status: 403 });
    if (pathname === '/api/lab/events') return this.#events();
    if (pathname === '/api/lab/switch' && request.method === 'POST') return this.#set(request);
    return new Response(null, { status: 404 });
  }

  async #set(request: Request): Promise<Response> {
    const { id, mode } = parseSwitch(await request.json().catch(() => undefined));
    if (mode === undefined || this.#switchboard?.set(id, mode) !== true) {
      return new Response(null, { status: 400 });
    }
    this.#scheduleEvent();
    return new Response(null, { status: 204 });
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

function parseSwitch(body: unknown): { id: string; mode: FaultMode | undefined } {
  const fields: { id?: unknown; mode?: unknown } = typeof body === 'object' && body ? body : {};
  const modes: readonly FaultMode[] = ['off', 'once', 'often', 'always'];
  return { id: String(fields.id), mode: modes.find((mode) => mode === fields.mode) };
}
