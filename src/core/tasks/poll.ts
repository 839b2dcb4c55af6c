import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { isRecord } from '../../schemas/record.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import type { RequestOptions } from '../call/api-call.ts';
import { nonNegativeNumber, checkValue } from '../config/validation.ts';
import type { Sender } from '../call/sender.ts';

/** How long a wait lasts when the caller does not say: half an hour. */
const defaultWaitTimeout = 1_800_000;

/** Nothing is asked for more often than this, ms, also where the service says so. */
const minPollDelay = 100;

/** The pauses between polls, and the time for all of them, ms. */
export interface PollTiming {
  readonly pollInterval: number;
  readonly maxPollInterval: number;
  readonly waitTimeout: number;
}

/** What a poll needs of the world. */
export interface PollContext<Value> {
  readonly sender: Sender;
  readonly signal: AbortSignal | undefined;
  /** One poll: one attempt, within what is left of the time. */
  readonly read: (
    options: RequestOptions,
  ) => Promise<{ value: Value; retryAfterMs?: number | undefined }>;
  readonly isFinished: (value: Value) => boolean;
  /** What is known before the first poll. */
  readonly known?: { value: Value; at: number; retryAfterMs?: number | undefined } | undefined;
  readonly onAbort: (reason: unknown) => PolygateError;
  readonly onTimeout: (ms: number, last: Value | undefined) => PolygateError;
  /** What stands in an update while no poll has told anything; without it, there is none. */
  readonly placeholder?: Value | undefined;
}

/** What one poll found, or what the one before had found and why there is nothing new. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/**
 * Reads and waits until it is over. Outages are ridden out: they are yielded as `pollError`, and only the deadline, an
 * abort or an answer that will not change ends the wait.
 */
export async function* poll<Value extends object>(
  context: PollContext<Value>,
  options: WaitOptions<never>,
  defaults: Omit<PollTiming, 'waitTimeout'>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  const { sender, signal, known, isFinished: isFinished, onTimeout, placeholder: unseen } = context;
  const pace = resolvePollTiming(options, defaults);
  const { clock, random, timeout } = sender.config;
  const deadline = clock.now() + pace.waitTimeout;
  let last = known?.value;
  if (last !== undefined && isFinished(last)) {
    yield { ...last };
    return;
  }
  let next = known ? known.at + (known.retryAfterMs ?? pollDelay(pace, 0, random)) : clock.now();
  let missing = 0;
  for (let round = 1; ; round += 1) {
    const done = await turn(next, deadline, context);
    const left = deadline - clock.now();
    if (left <= 0) {
      done();
      throw onTimeout(pace.waitTimeout, last);
    }
    let asked: number | undefined;
    try {
      const once = { signal, timeout: Math.min(left, timeout), maxRetries: 0 };
      const { value, retryAfterMs } = await context.read(once).finally(done);
      asked = retryAfterMs;
      missing = 0;
      last = value;
      yield { ...value };
      if (isFinished(value)) return;
    } catch (error) {
      const { status, retryAfterMs } = error instanceof APIError ? error : {};
      missing = status === 404 ? missing + 1 : 0;
      if (!isTransient(error, missing)) throw error;
      if (clock.now() >= deadline) throw onTimeout(pace.waitTimeout, last);
      asked = retryAfterMs;
      const seen = last ?? unseen;
      if (seen !== undefined) yield { ...seen, pollError: error };
    }
    next = clock.now() + Math.max(minPollDelay, asked ?? pollDelay(pace, round, random));
  }
}

/** Follows a wait to its end, tells `onUpdate` what each poll found, and gives back what the last one did. */
export async function lastUpdate<Update>(
  updates: AsyncIterable<Update>,
  { onUpdate }: Pick<WaitOptions<Update>, 'onUpdate'>,
  sender: Sender,
): Promise<Update | undefined> {
  let last: Update | undefined;
  for await (const update of updates) {
    sender.notify(onUpdate, update, 'onUpdate');
    last = update;
  }
  return last;
}

/** The pause after a round: it grows from the first interval to the longest, up to 20 % longer at random. */
function pollDelay(
  { pollInterval, maxPollInterval }: PollTiming,
  round: number,
  random: () => number,
) {
  const grown = Math.min(maxPollInterval, pollInterval * 1.25 ** round);
  return Math.min(maxPollInterval, grown * (1 + 0.2 * random()));
}

/**
 * Whether a failed poll says nothing about the task: no answer, an overloaded or broken service, an answer that is no
 * record. A 404 may be a record that is not everywhere yet, until it comes three times in a row.
 */
function isTransient(error: unknown, missing: number): error is PolygateError {
  if (error instanceof APIError) {
    const { status } = error;
    return status === 408 || status === 429 || status >= 500 || (missing > 0 && missing < 3);
  }
  if (error instanceof ResponseValidationError) return !isRecord(error.body);
  return error instanceof ConnectionError;
}

/** The pace that a caller asked for; what it leaves out is the default. */
export function resolvePollTiming(
  options: WaitOptions<never>,
  defaults: Omit<PollTiming, 'waitTimeout'>,
): PollTiming {
  const { pollInterval = defaults.pollInterval, waitTimeout = defaultWaitTimeout } = options;
  const { maxPollInterval = Math.max(pollInterval, defaults.maxPollInterval) } = options;
  const pace = { pollInterval, maxPollInterval, waitTimeout };
  for (const [name, ms] of Object.entries(pace)) checkValue(name, ms, nonNegativeNumber);
  return pace;
}

/** Sleeps until the next poll is due and there is a turn for it, or until the deadline. */
async function turn<Value>(
  next: number,
  deadline: number,
  { sender, signal, onAbort }: PollContext<Value>,
): Promise<() => void> {
  if (signal?.aborted) throw onAbort(signal.reason);
  const now = sender.config.clock.now();
  const left = Math.max(0, deadline - now);
  const pause = Math.min(left, Math.max(0, next - now));
  return sender.shared.waits.acquire(pause, left, signal).catch((error: unknown) => {
    throw onAbort(signal?.reason ?? error);
  });
}
