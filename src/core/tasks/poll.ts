import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import type { ClientContext } from '../call/context.ts';
import { pollHeaderRules, signalRule } from '../call/request-options.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import { parseHeaderChanges } from '../config/header-changes.ts';
import { notify } from '../config/log.ts';
import { checkOptions, functionValue, nonNegativeNumber } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';
import type { ReleasePoll } from '../limits/poll-limiter.ts';

const defaultWaitTimeout = 1_800_000;

/** Shortest delay between two polls in ms, even if the service requests a shorter one. */
const minPollDelay = 100;

/** When to poll, and for how long, in ms. */
export interface PollTiming {
  readonly pollInterval: number;
  readonly maxPollInterval: number;
  readonly waitTimeout: number;
}

/** The default intervals of one kind of record. */
export type DefaultTiming = Omit<PollTiming, 'waitTimeout'>;

/** What a poll returned. */
export interface PollResult<Value> {
  readonly value: Value;
  readonly retryAfterMs?: number | undefined;
}

/** What is polled, and how its wait ends. */
export interface PollTarget<Value> {
  readonly context: ClientContext;
  /** Polls once: one attempt, within the remaining time. */
  readonly read: (options: CheckedOptions) => Promise<PollResult<Value>>;
  readonly isFinished: (value: Value) => boolean;
  /** Headers of the request that created the record. The wait's own headers are added to them. */
  readonly headers?: PollHeaders | undefined;
  /** The last known value, from before this wait. */
  readonly known?: (PollResult<Value> & { readonly at: number }) | undefined;
  /** The value of updates until a poll succeeds. Without one, failed polls yield no update until then. */
  readonly placeholder?: Value | undefined;
  readonly onAbort: (reason: unknown) => PolygateError;
  readonly onTimeout: (ms: number, last: Value | undefined) => PolygateError;
}

/** The rules of the options of a wait, without its callback. */
export const waitRules = {
  ...pollHeaderRules,
  signal: signalRule,
  pollInterval: nonNegativeNumber,
  maxPollInterval: nonNegativeNumber,
  waitTimeout: nonNegativeNumber,
} satisfies Rules;

/** The value of a poll; or the last known value, and why the poll failed. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/**
 * Polls until the record is finished. Outages do not end the wait: they are yielded as `pollError`. Only the deadline,
 * an aborted signal or a permanent error ends it.
 */
export async function* poll<Value extends object>(
  target: PollTarget<Value>,
  options: WaitOptions<never>,
  defaults: DefaultTiming,
): AsyncGenerator<Polled<Value>, void, undefined> {
  const { context, known, isFinished, onTimeout, placeholder } = target;
  checkOptions(options, waitRules);
  const { signal } = options;
  const pollHeaders = mergePollHeaders(target.headers, options);
  const timing = resolvePollTiming(options, defaults);
  const { clock, random, timeout } = context.config;
  const deadline = clock.now() + timing.waitTimeout;
  let last = known?.value;
  if (last !== undefined && isFinished(last)) {
    yield { ...last };
    return;
  }
  let nextPollAt = known
    ? known.at + (known.retryAfterMs ?? pollDelay(timing, 0, random))
    : clock.now();
  let consecutive404s = 0;
  for (let round = 1; ; round += 1) {
    const release = await waitForTurn(target, signal, nextPollAt, deadline);
    if (release === undefined) throw onTimeout(timing.waitTimeout, last);
    let retryAfter: number | undefined;
    try {
      const attemptTimeout = Math.min(deadline - clock.now(), timeout);
      const attempt = { ...pollHeaders, signal, timeout: attemptTimeout, maxRetries: 0 };
      const { value, retryAfterMs } = await target.read(attempt).finally(release);
      retryAfter = retryAfterMs;
      consecutive404s = 0;
      last = value;
      yield { ...value };
      if (isFinished(value)) return;
    } catch (error) {
      const { status, retryAfterMs } = error instanceof APIError ? error : {};
      consecutive404s = status === 404 ? consecutive404s + 1 : 0;
      if (!isTransient(error, consecutive404s)) throw error;
      if (clock.now() >= deadline) throw onTimeout(timing.waitTimeout, last);
      retryAfter = retryAfterMs;
      const value = last ?? placeholder;
      if (value !== undefined) yield { ...value, pollError: error };
    }
    const delay = retryAfter ?? pollDelay(timing, round, random);
    nextPollAt = clock.now() + Math.max(minPollDelay, delay);
  }
}

/** Waits until the next poll is due and may start. Resolves with undefined when the deadline comes first. */
async function waitForTurn<Value>(
  { context, onAbort }: PollTarget<Value>,
  signal: AbortSignal | undefined,
  nextPollAt: number,
  deadline: number,
): Promise<ReleasePoll | undefined> {
  const { clock } = context.config;
  try {
    signal?.throwIfAborted();
    const delay = Math.min(nextPollAt, deadline) - clock.now();
    if (delay > 0) await clock.sleep(delay, signal);
    const timeLeft = deadline - clock.now();
    if (timeLeft <= 0) return undefined;
    const polls = (context.shared.polls ??= new PollLimiter(clock));
    const release = await polls.acquire(timeLeft, signal);
    if (clock.now() < deadline) return release;
    release?.();
    return undefined;
  } catch (error) {
    throw onAbort(signal?.reason ?? error);
  }
}

/** The rules of the callback of a wait. */
export const waitCallbackRules = { onUpdate: functionValue } satisfies Rules;

/** The options of a wait, from those of a call that also waits. Headers are those of the call. */
export function waitOptions<Update>({
  onUpdate,
  signal,
  pollInterval,
  maxPollInterval,
  waitTimeout,
}: WaitOptions<Update>): WaitOptions<Update> {
  return { onUpdate, signal, pollInterval, maxPollInterval, waitTimeout };
}

/** Consumes all updates, passes each to `onUpdate`, and returns the last one. */
export async function lastUpdate<Update>(
  updates: AsyncIterable<Update>,
  onUpdate: ((update: Update) => void) | undefined,
  { config }: ClientContext,
): Promise<Update | undefined> {
  let last: Update | undefined;
  for await (const update of updates) {
    notify(config.log, onUpdate, update, 'onUpdate');
    last = update;
  }
  return last;
}

/** The delay after a round: it grows from `pollInterval` to `maxPollInterval`, with up to 20% of jitter. */
function pollDelay(
  { pollInterval, maxPollInterval }: PollTiming,
  round: number,
  random: () => number,
) {
  const grown = Math.min(maxPollInterval, pollInterval * 1.25 ** round);
  return Math.min(maxPollInterval, grown * (1 + 0.2 * random()));
}

/**
 * Whether a failed poll reveals nothing about the task: no response, a service that is overloaded or down, or a body
 * that is not a record. Up to two 404s in a row may mean that the record is not replicated yet.
 */
function isTransient(error: unknown, consecutive404s: number): error is PolygateError {
  if (error instanceof APIError) {
    const { status } = error;
    const isEarly404 = consecutive404s > 0 && consecutive404s < 3;
    return status === 408 || status === 429 || status >= 500 || isEarly404;
  }
  if (error instanceof ResponseValidationError) return !isRecord(error.body);
  return error instanceof ConnectionError;
}

/** The headers of the creating request, and those of the caller, which replace headers of the same name. */
export function mergePollHeaders(
  { headers = [], requestId }: Partial<PollHeaders> = {},
  options: Pick<WaitOptions<never>, 'headers' | 'requestId'>,
): PollHeaders {
  return {
    headers: [...headers, ...parseHeaderChanges(options.headers)],
    requestId: options.requestId ?? requestId,
  };
}

/** The timing of a wait: the caller's options, or the defaults. */
function resolvePollTiming(options: WaitOptions<never>, defaults: DefaultTiming): PollTiming {
  const { pollInterval = defaults.pollInterval, waitTimeout = defaultWaitTimeout } = options;
  const { maxPollInterval = Math.max(pollInterval, defaults.maxPollInterval) } = options;
  return { pollInterval, maxPollInterval, waitTimeout };
}
