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
import type { ReleaseSlot } from '../limits/concurrency-limiter.ts';
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
  /** The message of the error for a wait that ended early, and what to do next. */
  readonly message: (event: string) => string;
  /** The initial delay between polls in ms that the specification recommends. */
  readonly pollInterval: number;
  /** Matches every status that ends the wait. */
  readonly finalStatus: RegExp;
  /** Polls once: one attempt, within the remaining time. */
  readonly read: (options: CheckedOptions) => Promise<PollResult<Value>>;
  /** Headers of the request that created the record. The wait's own headers are added to them. */
  readonly headers?: PollHeaders | undefined;
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

/** Waits until the record is finished, passes each update to `onUpdate`, and returns the last one. */
export async function lastUpdate<Value extends Pollable>(
  target: PollTarget<Value>,
  options: WaitOptions<Polled<Value>>,
): Promise<Polled<Value> | undefined> {
  checkOptions(options, waitCallbackRules);
  const { onUpdate } = options;
  let last: Polled<Value> | undefined;
  for await (const update of poll(target, options)) {
    notify(target.context.config.log, onUpdate, update, 'onUpdate');
    last = update;
  }
  return last;
}

async function* poll<Value extends Pollable>(
  target: PollTarget<Value>,
  options: WaitOptions<never>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  const { context, known, finalStatus, message } = target;
  const { clock, random, timeout } = context.config;
  const {
    signal,
    pollInterval = target.pollInterval,
    maxPollInterval = Math.max(pollInterval, 5_000),
    waitTimeout = 1_800_000,
  } = options;
  const pollHeaders = mergePollHeaders(target.headers, options);
  const deadline = clock.now() + waitTimeout;
  let last = known?.data;
  if (last !== undefined && finalStatus.test(last.status)) return yield last;
  let interval = pollInterval;
  /** The delay grows from `pollInterval` to `maxPollInterval`, with up to 20% of jitter. */
  const nextPollAfter = (time: number, retryAfterMs: number | undefined) => {
    const delay = Math.min(maxPollInterval, interval * (1 + 0.2 * random()));
    interval *= 1.25;
    return time + Math.max(minPollDelay, retryAfterMs ?? delay);
  };
  let nextPollAt = nextPollAfter(known?.at ?? -Infinity, known?.retryAfterMs);
  let consecutive404s = 0;
  const timeoutError = () => {
    const status = last?.rawStatus || last?.status || 'status unknown';
    return target.timeoutError(message(`exceeded ${waitTimeout} ms (${status})`), last);
  };
  const onAbort = (reason: unknown) =>
    abortedError(signal?.reason ?? reason, target.details, message('was aborted'));
  /** Waits until the next poll is due and may start. Resolves with the function that ends it. */
  const waitForTurn = async (): Promise<ReleaseSlot> => {
    if (signal?.aborted) throw onAbort(signal.reason);
    const delay = Math.min(nextPollAt, deadline) - clock.now();
    if (delay > 0) {
      await clock.sleep(delay, signal).catch((error: unknown) => {
        throw onAbort(error);
      });
    }
    const ms = deadline - clock.now();
    if (ms <= 0) throw timeoutError();
    const acquire = (context.shared.acquirePoll ??= createPollLimiter(clock));
    return acquire(() => ({ clock, signal, ms, onAbort, onTimeout: timeoutError }));
  };
  for (;;) {
    const release = await waitForTurn();
    let retryAfterMs: number | undefined;
    try {
      const attemptTimeout = Math.max(0, Math.min(deadline - clock.now(), timeout));
      const attempt = { ...pollHeaders, signal, timeout: attemptTimeout, maxRetries: 0 };
      ({ data: last, retryAfterMs } = await target.read(attempt).finally(release));
      consecutive404s = 0;
      yield last;
      if (finalStatus.test(last.status)) return;
    } catch (error) {
      const apiError = error instanceof APIError ? error : undefined;
      consecutive404s = apiError?.status === 404 ? consecutive404s + 1 : 0;
      if (!isTransient(error, consecutive404s)) throw error;
      retryAfterMs = apiError?.retryAfterMs;
      const value = last ?? target.initial;
      if (value !== undefined) yield { ...value, pollError: error };
    }
    nextPollAt = nextPollAfter(clock.now(), retryAfterMs);
  }
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

/** The options of a wait, from those of a call that creates a record and then waits for it. */
export function waitOptions<Update>({
  signal,
  onUpdate,
  pollInterval,
  maxPollInterval,
  waitTimeout,
}: WaitOptions<Update> = {}): WaitOptions<Update> {
  return { signal, onUpdate, pollInterval, maxPollInterval, waitTimeout };
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
