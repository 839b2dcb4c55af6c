import { Polygate } from '../../src/index.ts';
import type { Clock, PolygateOptions } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { MockClock, MockGatewayOptions } from '../../src/mock/index.ts';

export { turns } from '../support/turns.ts';

/** Base URL of clients with a hand-written fetch. */
export const baseURL = 'https://gateway.example';

/** A request that a hand-written fetch receives. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly redirect: RequestRedirect;
  readonly signal: AbortSignal;
}

/** How a hand-written fetch responds to a request. */
export type Reply = (sent: SentRequest) => Response | Promise<Response>;

/** A fetch that plays the replies in order, repeats the last one, and records the requests. */
export function scripted(...replies: readonly [Reply, ...Reply[]]) {
  const sent: SentRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const received = new Request(input, init);
    const { url, method, headers, redirect, signal } = received;
    const body = received.body === null ? undefined : await received.text();
    const request: SentRequest = { url, method, headers, body, redirect, signal };
    sent.push(request);
    const reply = replies[Math.min(sent.length, replies.length) - 1] ?? replies[0];
    return reply(request);
  };
  return { fetch, sent };
}

/** The method of a request. Clients with hooks call `fetch` with a `Request`. */
export function methodOf(input: RequestInfo | URL, init?: RequestInit): string {
  return input instanceof Request ? input.method : (init?.method ?? 'GET');
}

/** Responds with JSON. */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
}

/** Responds with an error in the documented envelope. */
export function errorReply(
  status: number,
  code?: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const type = 'test_error';
  return jsonReply(status, { error: { message: `Refused with ${status}`, type, code } }, headers);
}

/** Responds with text of any content type. */
export function textReply(status: number, body: string, type = 'text/plain'): Reply {
  return () => new Response(body, { status, headers: { 'content-type': type } });
}

/** Responds with a body that starts with this text and ends as the callback decides. */
export function streamReply(
  start: string,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  init: ResponseInit = {},
  cancel: () => void = () => undefined,
): Reply {
  return () => {
    let started = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (started) return end(controller);
          started = true;
          controller.enqueue(new TextEncoder().encode(start));
          return undefined;
        },
        cancel,
      },
      { highWaterMark: 0 },
    );
    return new Response(body, init);
  };
}

/** Fails like Node's fetch on a refused connection: no byte was sent. */
export const unreachable: Reply = () => {
  throw new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });
};

/** Fails like Node's fetch on a connection reset: the outcome is unknown. */
export const reset: Reply = () => {
  throw new TypeError('fetch failed', { cause: coded('ECONNRESET') });
};

/** Never responds, and ignores its signal. */
export const hang: Reply = () => new Promise(() => undefined);

/** A system error with this code. */
export function coded(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

/** An error that a promise was rejected with. */
export type Caught = Error & { readonly [field: string]: unknown };

export async function caught(promise: PromiseLike<unknown>): Promise<Caught> {
  try {
    await promise;
  } catch (error) {
    return error as Caught;
  }
  throw new Error('This should have failed');
}

/** The error that a function throws synchronously. */
export function thrown(work: () => unknown): Caught {
  try {
    work();
  } catch (error) {
    return error as Caught;
  }
  throw new Error('This should have thrown');
}

/** Reads a stream to its end. */
export async function drain<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A clock that moves only when it is advanced. */
export function virtualClock(): MockClock {
  return unwatched(createMockGateway({ clock: 'virtual' }).clock);
}

/**
 * Lets time pass while requests are in flight. Hand-written `fetch` functions take no real time, and those that never
 * respond are no reason to wait.
 */
export function unwatched(clock: MockClock): MockClock {
  return Object.assign(clock, { watchFetch: (fetch: typeof globalThis.fetch) => fetch });
}

/** A clock that records all sleeps and counts the pending ones. */
export class WatchedClock implements Clock {
  readonly sleeps: number[] = [];
  pending = 0;
  readonly #clock: MockClock;

  constructor(clock: MockClock = virtualClock()) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    this.pending += 1;
    try {
      await this.#clock.sleep(ms, signal);
    } finally {
      this.pending -= 1;
    }
  }

  advance(ms: number): Promise<void> {
    return this.#clock.advance(ms);
  }

  settle<Result>(promise: Promise<Result>): Promise<Result> {
    return this.#clock.settle(promise);
  }
}

/** A client with a hand-written fetch, in virtual time and without logging. */
export function clientOf(fetch: typeof globalThis.fetch, options: PolygateOptions = {}): Polygate {
  const clock = options.clock ?? virtualClock();
  const quiet: PolygateOptions = { apiKey: 'sk-test', baseURL, logLevel: 'off' };
  return new Polygate({ ...quiet, random: () => 0.5, ...options, clock, fetch });
}

/** A clock that follows another one and counts pending sleeps. */
export function countingClock(clock: Clock) {
  const sleeps = { pending: 0, max: 0 };
  const counting: Clock = {
    now: () => clock.now(),
    sleep: async (ms, signal) => {
      sleeps.pending += 1;
      sleeps.max = Math.max(sleeps.max, sleeps.pending);
      await clock.sleep(ms, signal).finally(() => {
        sleeps.pending -= 1;
      });
    },
  };
  return { clock: counting, sleeps };
}

/** The reference gateway in virtual time, and its client. */
export function onMock(settings: MockGatewayOptions = {}, options: PolygateOptions = {}) {
  const mock = createMockGateway({ clock: 'virtual', ...settings });
  const { apiKey, fetch, clock } = mock;
  const quiet: PolygateOptions = { logLevel: 'off', random: () => 0.5 };
  if (options.fetch) unwatched(clock);
  const base = { apiKey, baseURL: mock.baseURL, fetch, clock };
  const gateway = new Polygate({ ...quiet, ...base, ...options });
  return { mock, gateway };
}

/** Params for tests in which they do not matter. */
export const image = { model: 'prism-image', prompt: 'A harbor' };
export const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};

/** Successful replies to them. */
export const submitted = jsonReply(202, { id: 'task_1', status: 'queued' });
export const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 0,
  model: 'aurora-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Ahoy' }, finish_reason: 'stop' }],
};
export const completed = jsonReply(200, completion);
export const modelList = jsonReply(200, { object: 'list', data: [] });
export const eventStream = { headers: { 'content-type': 'text/event-stream' } };
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'aurora-chat',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;
/** The first event of a chat stream that continues. */
export const firstEvent = chunk({ role: 'assistant', content: 'Ah' }, null);
/** A complete chat stream. */
export const completeStream = `${firstEvent}${chunk({ content: 'oy' }, 'stop')}data: [DONE]\n\n`;
