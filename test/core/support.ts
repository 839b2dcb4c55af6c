import { Polygate } from '../../src/index.ts';
import type { Clock, PolygateOptions } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { MockClock, MockGatewayOptions } from '../../src/mock/index.ts';

/** Where clients of these tests believe the service to be, when a hand-written fetch answers. */
export const baseURL = 'https://gateway.example';

/** A request as a hand-written fetch sees it. */
export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly redirect: RequestRedirect | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a hand-written fetch does with a request. */
export type Reply = (sent: Sent) => Response | Promise<Response>;

/** A fetch that plays replies in order, the last of them for ever, and writes down what it was asked. */
export function scripted(...replies: readonly [Reply, ...Reply[]]) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { method = 'GET', headers, body, redirect, signal } = init;
    const request: Sent = {
      url: input instanceof Request ? input.url : String(input),
      method,
      headers: new Headers(headers),
      body: body === null || body === undefined ? undefined : await new Response(body).text(),
      redirect,
      signal: signal ?? undefined,
    };
    sent.push(request);
    const reply = replies[Math.min(sent.length, replies.length) - 1] ?? replies[0];
    return reply(request);
  };
  return { fetch, sent };
}

/** Answers with JSON. */
export function answer(
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

/** Answers with an error in the documented envelope. */
export function refusal(
  status: number,
  code?: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const type = 'test_error';
  return answer(status, { error: { message: `Refused with ${status}`, type, code } }, headers);
}

/** Answers with text of some type. */
export function text(status: number, body: string, type = 'text/plain'): Reply {
  return () => new Response(body, { status, headers: { 'content-type': type } });
}

/** Answers with a body that begins and then does something. */
export function streamed(
  start: string,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  init: ResponseInit = {},
  cancel: () => void = () => undefined,
): Reply {
  return () => {
    let begun = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (begun) return end(controller);
          begun = true;
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

/** Node's fetch when nobody listens: no byte has left. */
export const unreachable: Reply = () => {
  throw new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });
};

/** Node's fetch when the connection drops: nobody knows what has happened. */
export const reset: Reply = () => {
  throw new TypeError('fetch failed', { cause: coded('ECONNRESET') });
};

/** Never answers, and does not listen to its signal. */
export const hang: Reply = () => new Promise(() => undefined);

/** An error of the system. */
export function coded(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

/** What a promise was rejected with. */
export type Caught = Error & { readonly [field: string]: unknown };

export async function caught(promise: PromiseLike<unknown>): Promise<Caught> {
  try {
    await promise;
  } catch (error) {
    return error as Caught;
  }
  throw new Error('This should have failed');
}

/** What a function threw at once. */
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

/** A few turns of the event loop: whatever happens at once has happened then. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Time that moves only when told to. */
export function virtualClock(): MockClock {
  return createMockGateway({ clock: 'virtual' }).clock;
}

/** A clock that counts: every sleep that was asked for, and those that are not over. */
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

/** A client whose service is a hand-written fetch, in virtual time and without noise. */
export function clientOf(fetch: typeof globalThis.fetch, options: PolygateOptions = {}): Polygate {
  const clock = options.clock ?? virtualClock();
  const quiet: PolygateOptions = { apiKey: 'sk-test', baseURL, logLevel: 'off' };
  return new Polygate({ ...quiet, random: () => 0.5, ...options, clock, fetch });
}

/** A clock that goes by another one and counts who sleeps. */
export function countingClock(clock: Clock) {
  const seen = { sleeping: 0, most: 0 };
  const counting: Clock = {
    now: () => clock.now(),
    sleep: async (ms, signal) => {
      seen.sleeping += 1;
      seen.most = Math.max(seen.most, seen.sleeping);
      await clock.sleep(ms, signal).finally(() => {
        seen.sleeping -= 1;
      });
    },
  };
  return { clock: counting, seen };
}

/** The reference gateway in virtual time, and a client of it. */
export function onMock(settings: MockGatewayOptions = {}, options: PolygateOptions = {}) {
  const mock = createMockGateway({ clock: 'virtual', ...settings });
  const { apiKey, fetch, clock } = mock;
  const quiet: PolygateOptions = { logLevel: 'off', random: () => 0.5 };
  const base = { apiKey, baseURL: mock.baseURL, fetch, clock };
  const gateway = new Polygate({ ...quiet, ...base, ...options });
  return { mock, gateway };
}

/** Params that every test may use where they do not matter. */
export const image = { model: 'prism-image', prompt: 'A harbour' };
export const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};

/** Good answers to them. */
export const submitted = answer(202, { id: 'task_1', status: 'queued' });
export const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 0,
  model: 'aurora-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Ahoy' }, finish_reason: 'stop' }],
};
export const completed = answer(200, completion);
export const modelList = answer(200, { object: 'list', data: [] });
export const eventStream = { headers: { 'content-type': 'text/event-stream' } };
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'aurora-chat',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;
/** One event of a chat stream; it goes on after that. */
export const firstEvent = chunk({ role: 'assistant', content: 'Ah' }, null);
/** A whole chat stream. */
export const wholeStream = `${firstEvent}${chunk({ content: 'oy' }, 'stop')}data: [DONE]\n\n`;
