import { APIError } from '../../errors/api.ts';
import type { ErrorDetails, PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { abortedError } from '../call/errors.ts';
import { pollHeaderRules, signalRule } from '../call/request-options.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import type { ApiResponse } from '../call/response.ts';
import { parseHeaderChanges } from '../config/header-changes.ts';
import { notify } from '../config/log.ts';
import { checkOptions, functionValue, nonNegativeNumber } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { createPollLimiter } from '../limits/poll-limiter.ts';

/** Shortest delay between two polls in ms, even if the service requests a shorter one. */
const minPollDelay = 100;

/** A record as a poll returned it. */
export interface PollResult<Value> {
  readonly data: Value;
  /** When it was received, in clock ms. */
  readonly at: number;
  readonly retryAfterMs?: number | undefined;
}

/** The record of a response. */
export function toPollResult<Value>(
  { data, response }: ApiResponse<Value>,
  { config: { clock } }: ClientContext,
): PollResult<Value> {
  const at = clock.now();
  return { data, at, retryAfterMs: parseRetryAfter(response.headers, at) };
}

/** What is polled, and how its wait ends. */
export interface PollTarget<Value> {
  readonly context: ClientContext;
  /** What to do next if the wait ends early. */
  readonly advice: () => string;
  /** The initial delay between polls in ms that the specification recommends. */
  readonly pollInterval: number;
  /** Matches every status that ends the wait. */
  readonly finalStatus: RegExp;
  /** Polls once: one attempt, within the remaining time. */
  readonly read: (options: CheckedOptions) => Promise<PollResult<Value>>;
  /** Headers of the request that created the record. The wait's own headers are added to them. */
  readonly headers?: Partial<PollHeaders> | undefined;
  /** The last known value, from before this wait. */
  readonly known?: PollResult<Value> | undefined;
  /** The value of updates until a poll succeeds. Without one, failed polls yield no update until then. */
  readonly initial?: Value | undefined;
  /** Details of the error for a wait that is aborted. */
  readonly details?: ErrorDetails;
  /** Creates the error for `waitTimeout`. */
  timeoutError(message: string, last: Value | undefined): PolygateError;
}

/** The fields that polling itself reads. */
interface Pollable {
  status: string;
  rawStatus?: string;
}

/** The rules of the options of `updates`. */
export const waitRules = {
  ...pollHeaderRules,
  signal: signalRule,
  pollInterval: nonNegativeNumber,
  maxPollInterval: nonNegativeNumber,
  waitTimeout: nonNegativeNumber,
} satisfies Rules;

/** The rules of the options of a wait. */
export const waitCallbackRules = { ...waitRules, onUpdate: functionValue } satisfies Rules;

/** The value of a poll; or the last known value, and why the poll failed. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/**
 * Yields the result of every poll until the record is finished. Outages do not end the updates: they are yielded as
 * `pollError`. Only the deadline, an aborted signal or a permanent error ends them.
 */
export async function* updatesOf<Value extends Pollable>(
  target: PollTarget<Value>,
  options: WaitOptions<never>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  try {
    checkOptions(options, waitRules);
    yield* poll(target, options);
  } catch (error) {
    throwToCaller(error);
  }
}

/** Waits until the record is finished, passes each update to `onUpdate`, and returns it. The options are checked. */
export async function lastUpdate<Value extends Pollable>(
  target: PollTarget<Value>,
  options: WaitOptions<Polled<Value>>,
): Promise<Value> {
  const updates = poll(target, options);
  for (;;) {
    const { done, value } = await updates.next();
    if (done) return value;
    notify(target.context.config.log, options.onUpdate, value, 'onUpdate');
  }
}

/** Yields each update, and returns the finished record, which is the last one. */
async function* poll<Value extends Pollable>(
  target: PollTarget<Value>,
  options: WaitOptions<never>,
): AsyncGenerator<Polled<Value>, Value, undefined> {
  const { context, finalStatus, advice } = target;
  const { clock, random, timeout } = context.config;
  const {
    signal,
    pollInterval = target.pollInterval,
    maxPollInterval = Math.max(pollInterval, 5_000),
    waitTimeout = 1_800_000,
  } = options;
  const pollHeaders = mergePollHeaders(target.headers, options);
  const deadline = clock.now() + waitTimeout;
  const known: Partial<PollResult<Value>> = target.known ?? {};
  let { data: last, at: lastPollAt = -Infinity, retryAfterMs } = known;
  if (last !== undefined && finalStatus.test(last.status)) {
    yield { ...last };
    return last;
  }
  let consecutive404s = 0;
  const onTimeout = () => {
    const status = last?.rawStatus || last?.status || 'status unknown';
    return target.timeoutError(
      `The wait exceeded ${waitTimeout} ms (${status}). ${advice()}`,
      last,
    );
  };
  const onAbort = (error?: unknown) =>
    abortedError(signal?.reason ?? error, target.details, `The wait was aborted. ${advice()}`);
  // The delay grows from `pollInterval` to `maxPollInterval`, with up to 20% of jitter.
  for (let interval = pollInterval; ; interval *= 1.25) {
    if (signal?.aborted) throw onAbort();
    const delay = retryAfterMs ?? Math.min(maxPollInterval, interval * (1 + 0.2 * random()));
    const nextPollAt = lastPollAt + Math.max(minPollDelay, delay);
    const msToWait = Math.min(nextPollAt, deadline) - clock.now();
    if (msToWait > 0) {
      await clock.sleep(msToWait, signal).catch((error: unknown) => {
        throw onAbort(error);
      });
    }
    const ms = deadline - clock.now();
    if (ms <= 0) throw onTimeout();
    const acquire = (context.shared.acquirePoll ??= createPollLimiter(clock));
    const release = await acquire(() => ({ clock, signal, ms, onAbort, onTimeout }));
    try {
      const attemptTimeout = Math.min(deadline - clock.now(), timeout);
      const attempt = { ...pollHeaders, signal, timeout: attemptTimeout, maxRetries: 0 };
      ({ data: last, retryAfterMs } = await target.read(attempt).finally(release));
      consecutive404s = 0;
      // A copy, so that a caller that modifies it can neither change the task nor prolong the wait.
      yield { ...last };
      if (finalStatus.test(last.status)) return last;
    } catch (error) {
      const apiError = error instanceof APIError ? error : undefined;
      consecutive404s = apiError?.status === 404 ? consecutive404s + 1 : 0;
      // Up to two 404s in a row may mean that the record is not replicated yet.
      if (consecutive404s > 2 || !isTransient(error)) throw error;
      retryAfterMs = apiError?.retryAfterMs;
      const value = last ?? target.initial;
      if (value !== undefined) yield { ...value, pollError: error };
    }
    lastPollAt = clock.now();
  }
}

/**
 * Whether a failed poll reveals nothing about the task: no response, a service that is overloaded or down, a record
 * that is not found, or a body that is not a record.
 */
function isTransient(error: unknown): error is PolygateError {
  if (error instanceof APIError)
    return error.status >= 500 || [404, 408, 429].includes(error.status);
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
