import { getEventListeners } from 'node:events';

import { Polygate, PolygateError } from '../../../src/index.ts';
import type { Clock, RequestOptions, Task } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { WatchedClock } from '../../client/support.ts';
import type { Kind, Schedule, Step } from './schedule.ts';

const image = { model: 'prism-image', prompt: 'A harbor' };
const video = { model: 'tide-video', prompt: 'Waves', duration: 5, resolution: '720p' };
const music = { model: 'anthem-music', prompt: 'A shanty', is_instrumental: true };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };

type Submit = (gateway: Polygate, options: RequestOptions) => Promise<Task>;

/** The submit that recovers a call of this kind by its key. */
export const submits: { readonly [Name in Kind]?: Submit } = {
  'submit an image': (gateway, options) => gateway.images.submit(image, options),
  'generate an image': (gateway, options) => gateway.images.submit(image, options),
  'submit a video': (gateway, options) => gateway.videos.submit(video, options),
  'submit music': (gateway, options) => gateway.audio.music.submit(music, options),
};

const calls: Readonly<
  Record<Kind, (gateway: Polygate, options: RequestOptions) => Promise<unknown>>
> = {
  'submit an image': (gateway, options) => gateway.images.submit(image, options),
  'generate an image': (gateway, options) => gateway.images.generate(image, options),
  'submit a video': (gateway, options) => gateway.videos.submit(video, options),
  'submit music': (gateway, options) => gateway.audio.music.submit(music, options),
  chat: (gateway, options) => gateway.chat.completions.create(chat, options),
  'stream a chat': (gateway, options) => gateway.chat.completions.stream(chat, options).final(),
  'leave a stream': async (gateway, options) => {
    for await (const chunk of gateway.chat.completions.stream(chat, options)) return chunk;
    return undefined;
  },
  'design a voice': (gateway, options) => gateway.voices.design(design, options),
  'create a material': (gateway, options) => gateway.materials.create(material, options),
};

/** A call that has ended. */
export interface EndedCall {
  readonly step: Step;
  /** The request id of the call, which is also on its invoice line. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** A client, its gateway, and their clock. */
export interface Environment {
  readonly mock: MockGateway;
  readonly gateway: Polygate;
  /** Advances time until a promise settles. */
  readonly settle: <Result>(promise: Promise<Result>) => Promise<Result>;
  /** Charges reported to `onCharge`, in USD. */
  readonly charges: readonly number[];
  /** Ids of the requests whose response reported a charge to the client. */
  readonly reportedCharges: ReadonlySet<string>;
  /** By how much the requests in flight exceeded the limit, once a response had reported it. */
  readonly excess: () => number;
  /** Number of pending sleeps of the client. */
  readonly pending: () => number;
  /** Sleeps in virtual time in memory, and in real time on a socket. */
  readonly sleep: Clock['sleep'];
  readonly close: () => Promise<void>;
}

const needsSlot = ({ url, method }: Request): boolean =>
  method === 'POST' && /\/(images|videos|audio\/tasks|chat)\b/.test(url);

/** Observes `fetch`: requests in flight against the reported limit, and reported charges. */
function counting(fetch: typeof globalThis.fetch) {
  const reportedCharges = new Set<string>();
  let inFlight = 0;
  let limit = Infinity;
  let excess = 0;
  const counted: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const release = acquire(request);
    try {
      const response = await fetch(request);
      const { headers } = response;
      if (headers.has('x-svc-charge-usd')) reportedCharges.add(headers.get('x-request-id') ?? '');
      const reportsLimit = response.ok && needsSlot(request);
      const next = Number((reportsLimit && headers.get('x-svc-concurrency-limit')) || limit);
      // Requests sent in the same turn cannot know the new limit.
      setImmediate(() => {
        limit = next;
      });
      return response;
    } finally {
      release();
    }
  };
  const acquire = (request: Request): (() => void) => {
    if (!needsSlot(request)) return () => undefined;
    let released = false;
    inFlight += 1;
    excess = Math.max(excess, inFlight - limit);
    const release = () => {
      if (!released) inFlight -= 1;
      released = true;
    };
    request.signal.addEventListener('abort', release, { once: true });
    return release;
  };
  return { counted, reportedCharges, excess: () => excess };
}

/** An environment in memory, in virtual time. */
export async function inMemory({ faults, ...schedule }: Schedule): Promise<Environment> {
  const mock = createMockGateway({
    clock: 'virtual',
    concurrencyLimit: schedule.limit,
    latencyMs: schedule.latencyMs,
  });
  for (const fault of faults) mock.fail(fault);
  const clock = new WatchedClock(mock.clock);
  const { counted, ...counts } = counting(mock.fetch);
  return {
    mock,
    ...client(schedule, mock.apiKey, mock.baseURL, counted, clock),
    settle: (promise) => mock.clock.settle(promise),
    ...counts,
    pending: () => clock.pending,
    sleep: (ms, signal) => mock.clock.sleep(ms, signal),
    close: () => mock.clock.advance(3_600_000),
  };
}

/** On a socket, the client's clock runs this much faster than real time. */
const speed = 100;

/** An environment on a socket. The gateway uses real time, so its delays are shortened by the same factor. */
export async function onSocket({ faults, ...schedule }: Schedule): Promise<Environment> {
  const mock = createMockGateway({
    concurrencyLimit: schedule.limit,
    latencyMs: schedule.latencyMs / speed,
    tasks: { durationMs: 2_000 / speed },
  });
  for (const fault of faults) mock.fail(faster(fault));
  const listening = await listen(mock);
  let closed = false;
  let pending = 0;
  const since = performance.now();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    pending += 1;
    await realSleep(ms / speed, signal).finally(() => {
      pending -= 1;
    });
  };
  const clock = { now: () => since + (performance.now() - since) * speed, sleep };
  const { counted, ...counts } = counting((input, init) => fetch(input, init));
  return {
    mock,
    ...client(schedule, mock.apiKey, listening.baseURL, counted, clock),
    settle: (promise) => promise,
    ...counts,
    pending: () => pending,
    sleep: (ms, signal) => realSleep(ms / speed, signal),
    close: async () => {
      if (!closed) await listening.close();
      closed = true;
    },
  };
}

const faster = (fault: Fault): Fault =>
  fault.delayMs === undefined ? fault : { ...fault, delayMs: fault.delayMs / speed };

function client(
  { concurrency, random }: Omit<Schedule, 'faults'>,
  apiKey: string,
  baseURL: string,
  fetch: typeof globalThis.fetch,
  clock: Clock,
): Pick<Environment, 'gateway' | 'charges'> {
  const charges: number[] = [];
  const gateway = new Polygate({
    apiKey,
    baseURL,
    fetch,
    clock,
    concurrency,
    random: () => random,
    onCharge: ({ usd }) => void charges.push(usd),
    streamIdleTimeout: 5_000,
    logLevel: 'off',
  });
  return { gateway, charges };
}

function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The idempotency key of a step that has a row. */
export const keyOf = ({ kind, row }: Step): string | undefined =>
  row === undefined
    ? undefined
    : `${kind.replace('generate', 'submit').replaceAll(' ', '-')}-${row}`;

/** Runs all calls of a schedule; resolves when every call has ended. */
export async function runSchedule(
  environment: Environment,
  steps: readonly Step[],
): Promise<EndedCall[]> {
  const one = async (step: Step, index: number): Promise<EndedCall> => {
    const stop = new AbortController();
    const ended = new AbortController();
    await environment.sleep(step.startsAt);
    if (step.abortsAfter !== undefined) {
      const abort = () => stop.abort(new Error(`call ${index} is no longer wanted`));
      environment.sleep(step.abortsAfter, ended.signal).then(abort, () => undefined);
    }
    const { signal } = stop;
    const base = { step, id: `call-${index}`, signal };
    const { timeout, maxRetries } = step;
    const options = {
      signal,
      timeout,
      maxRetries,
      requestId: base.id,
      idempotencyKey: keyOf(step),
    };
    try {
      return { ...base, value: await calls[step.kind](environment.gateway, options) };
    } catch (error) {
      return { ...base, error };
    } finally {
      ended.abort();
    }
  };
  return environment.settle(Promise.all(steps.map(one)));
}

/** Number of listeners that calls left on their callers' signals. */
export const listeners = (ended: readonly EndedCall[]): number =>
  ended.reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0);

/** The error of a call, which must be a `PolygateError`; undefined if the call succeeded. */
export function failureOf({ error, id }: EndedCall): PolygateError | undefined {
  if (error === undefined || error instanceof PolygateError) return error;
  throw new Error(`${id} failed with an error that is not a PolygateError`, { cause: error });
}
