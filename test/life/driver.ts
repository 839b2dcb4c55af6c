/** What the drivers of paid requests have in common, so that one list of events can be played to each of them. */
import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { expect } from 'vitest';

import { unwatched } from '../client/support.ts';
import type { Damage } from './damage.ts';

/**
 * What the service, or the network, does with a submission. `named`: the headers of a response that breaks off name its task.
 * `stranger`: a response is lost, and the next attempt is rejected with the task of someone else.
 */
export type Fate =
  | 'accepted'
  | 'named'
  | 'stranger'
  | 'lost-before'
  | 'lost-after'
  | 'unpaid'
  | 'invalid'
  | 'void'
  | 'outage';

/**
 * When the process that makes the request dies: while it writes the record of the request, after that, when it has sent it, when
 * it has recorded the receipt, or while it polls. Only a journal and a state folder can have a half of a record.
 */
export type Death = 'never' | 'torn' | 'recorded' | 'in-flight' | 'accepted' | 'polled';

/** One run of a program. */
export interface Run {
  /** Which of the params it has. */
  readonly params: number;
  readonly fate: Fate;
  readonly death: Death;
  /** Whether its response arrives only while the next run is at work. */
  readonly isSlow: boolean;
  /** Whether the next run begins at the same moment, if this one is slow. */
  readonly isTwin?: boolean;
  /** Whether nothing can be stored meanwhile. */
  readonly isFull: boolean;
  /** How many records can be stored before nothing more can; not limited if undefined. */
  readonly room?: number | undefined;
  /** How far the clock of the process jumps forward or back, and back again, each time that it is read. */
  readonly jumpMs?: number;
  /** What happens to an entry before the run begins. */
  readonly damage?: Damage | undefined;
}

export const yearMs = 365 * 86_400_000;

/** A run that nothing disturbs. */
export const clean = {
  fate: 'accepted',
  death: 'never',
  isSlow: false,
  isFull: false,
  jumpMs: yearMs,
} as const;

/**
 * How a run has ended: with its task, with a refusal before anything was sent, or without a result; `free` if it says that nothing
 * was charged.
 */
export type Ending = { readonly taskId: string } | 'refused' | 'failed' | 'free' | 'dead';

/** The ending of a run without a result, by what it says about it. */
export const failedWith = (text: string | undefined): Ending =>
  text?.includes('Nothing was charged') ? 'free' : 'failed';

/** A storage with its service, as several processes use them. */
export interface World {
  readonly mock: MockGateway;
  /** Runs a program in a process of its own. Its responses are held back until `held` resolves. */
  start(run: Run, held: Promise<void>): Promise<Ending>;
  /** What the storage contains. */
  stored(): string | Promise<string>;
  /** Changes each entry, as another version or a person could. */
  rewrite?(change: (text: string) => string): void;
  /** Damages an entry. Returns false if there is none, or if no client could notice it. */
  damage(damage: Damage): boolean | Promise<boolean>;
  /** Waits until a run waits for its response, if that takes more than a few turns of the event loop. */
  settle?(): Promise<void>;
  close?(): void | Promise<void>;
}

/** What keeps paid requests. */
export interface Driver {
  readonly name: string;
  /** Whether a run whose key cannot be stored sends nothing. */
  readonly needsStorage: boolean;
  open(): World;
  /** Whether runs at the same time can send the same params under two keys: if only one has seen that other params were refused. */
  readonly hasRaces?: boolean;
  /** Whether the ending of a run is what the storage says, so that it is true of all runs. */
  readonly isShared?: boolean;
  /** Judges the invoice in place of the rule for tasks: no key is charged twice. */
  check?(world: World): void;
}

export const paramsOf = (index: number) => ({ model: 'prism-image', prompt: `A harbor ${index}` });

export const chatOf = (index: number) => ({
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: paramsOf(index).prompt }],
});

/** A chat, which no key protects, is charged once. */
export function checkChat({ mock: { invoice } }: World): void {
  expect(invoice.length).toBeLessThan(2);
}

/** A service on which nothing takes time. */
export function openService(): MockGateway {
  const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 } });
  unwatched(mock.clock);
  return mock;
}

const statuses: Partial<Record<Fate, number>> = {
  stranger: 409,
  unpaid: 402,
  invalid: 422,
  void: 400,
  outage: 503,
};

/** Counts what a run stores. Throws when there is no room left. */
export function storageOf({ isFull, room = Infinity }: Run): () => void {
  let left = isFull ? 0 : room;
  return () => {
    left -= 1;
    if (left < 0) throw new Error('ENOSPC: no space left on device');
  };
}

/** The clock of a process, whose time of day jumps whenever it is read. */
function jumping({ clock }: MockGateway, jumpMs = 0): NonNullable<PolygateOptions['clock']> {
  let isAhead = false;
  return {
    now: () => {
      isAhead = !isAhead;
      return clock.now() + (isAhead ? jumpMs : 0);
    },
    monotonic: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/** The client of a process. `die` is called when the process dies. */
export function clientOf(
  mock: MockGateway,
  { fate, death, jumpMs }: Run,
  held: Promise<void>,
  die: () => Promise<never>,
): Polygate {
  const lose = () => {
    throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
  };
  let isRetry = false;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method !== 'POST') {
      const isPoll = new Request(input).url.includes('/tasks/');
      return isPoll && (death === 'accepted' || death === 'polled')
        ? die()
        : mock.fetch(input, init);
    }
    if (death === 'recorded' || death === 'torn') return die();
    if (fate === 'lost-before' || (fate === 'stranger' && !isRetry)) {
      isRetry = true;
      lose();
    }
    const status = statuses[fate];
    const codes = { invalid: 'invalid_request_parameter', void: 'invalid_idempotency_key' };
    const code = fate === 'invalid' || fate === 'void' ? codes[fate] : 'refused';
    const error = { message: 'no', type: 'test', code };
    const headers = { 'x-svc-task-id': 'task_of_someone_else' };
    const response =
      status === undefined
        ? await mock.fetch(input, init)
        : Response.json({ error }, { status, ...(fate === 'stranger' && { headers }) });
    if (death === 'in-flight') return die();
    await held;
    if (fate === 'lost-after') lose();
    return fate === 'named' ? brokenOff(response) : response;
  };
  const { apiKey, baseURL } = mock;
  const clock = jumping(mock, jumpMs);
  const maxRetries = fate === 'stranger' ? 1 : 0;
  return new Polygate({ apiKey, baseURL, fetch, clock, maxRetries, logLevel: 'off' });
}

/** A response whose connection is lost after the headers. */
function brokenOff({ status, headers }: Response): Response {
  const pull = (controller: ReadableStreamDefaultController) =>
    controller.error(new TypeError('terminated'));
  return new Response(new ReadableStream({ pull }), { status, headers });
}
