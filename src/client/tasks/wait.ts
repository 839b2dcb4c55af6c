import type { ErrorDetails } from '../../errors/base.ts';
import type { WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import { pollHeaderRules } from '../call/request-options.ts';
import { throwToCaller, captureContext } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { checkOptions, functionValue, nonNegativeMs, signalRule } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { Pollable, PollTarget, Polled } from './polled-record.ts';
import type { Wait } from './wait-steps.ts';

/** The rules of the options of a wait without a callback. */
export const waitRules = {
  ...pollHeaderRules,
  signal: signalRule,
  pollInterval: nonNegativeMs,
  maxPollInterval: nonNegativeMs,
  waitTimeout: nonNegativeMs,
} satisfies Rules;

/** The rules of the options of a wait with `onUpdate`. */
export const waitCallbackRules = { ...waitRules, onUpdate: functionValue } satisfies Rules;

/** What waits for records, and reads those of tasks. A call that creates a record or polls a task lists it in `parts`. */
export const waits = /* @__PURE__ */ new Part(() => import('./wait-steps.ts'));

/** Waits until the record is finished, passes each update to `onUpdate`, and returns the result. */
export async function waitForResult<Value extends Pollable, Result>(
  target: PollTarget<Value, Result>,
  options: WaitOptions<Polled<Value>>,
  parent?: Span,
): Promise<Result> {
  const wait = await startWait(target, options, parent);
  try {
    if (wait.finished) wait.notify(options.onUpdate);
    // The steps of `iterateUpdates`. In a function that both call, every waiting task would keep one more promise.
    while (!wait.finished) {
      await wait.untilDue();
      await wait.poll();
      wait.notify(options.onUpdate);
    }
  } catch (error) {
    throw wait.fail(error);
  } finally {
    wait.end();
  }
  return target.toResult(wait.finished);
}

/** Checks the options, and waits. Not async: every waiting task would keep one more promise. */
export function checkAndWait<Value extends Pollable, Result>(
  target: PollTarget<Value, Result>,
  options: WaitOptions<Polled<Value>>,
): Promise<Result> {
  try {
    checkOptions(options, waitCallbackRules);
  } catch (error) {
    return Promise.reject(error);
  }
  return waitForResult(target, options);
}

/**
 * Yields the result of every poll until the record is finished. Outages do not end the updates: they are yielded as
 * `pollError`. Only the deadline, an aborted signal or a permanent error ends them.
 */
export function updatesOf<Value extends Pollable>(
  target: PollTarget<Value, unknown>,
  options: WaitOptions<never>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  // Now, because the generator starts when the caller takes the first update.
  const enter = captureContext(target.context.config);
  return iterateUpdates(() => {
    checkOptions(options, waitRules);
    return enter(() => startWait(target, options));
  });
}

async function* iterateUpdates<Value extends Pollable>(
  start: () => Promise<Wait<Value>>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  let wait: Wait<Value> | undefined;
  try {
    wait = await start();
    for (let isLast = false; !isLast;) {
      if (!wait.finished) {
        await wait.untilDue();
        await wait.poll();
      }
      // Decided before the update is yielded: meanwhile, other polls of the record may change what is known.
      isLast = wait.finished !== undefined;
      const update = wait.createUpdate();
      if (update) yield update;
    }
  } catch (error) {
    throwToCaller(wait ? wait.fail(error) : error);
  } finally {
    wait?.end();
  }
}

function startWait<Value extends Pollable>(
  target: PollTarget<Value, unknown>,
  options: WaitOptions<never>,
  parent?: Span,
): Promise<Wait<Value>> {
  const { config } = target.context;
  if (waits.loaded) return waits.use(config, async ({ Wait }) => new Wait(target, options, parent));
  const { signal, waitTimeout = Infinity } = options;
  // Now, because the caller may change the object while the part is loading.
  const given = { ...options };
  const details: ErrorDetails = { outcome: 'not-sent', ...target.errors.details };
  // A wait that must not poll at all still has the time to load a file that is there.
  const timeout = Math.min(Math.max(waitTimeout, 1_000), 60_000);
  return waits
    .use(config, async ({ Wait }) => new Wait(target, given, parent), { signal, timeout, details })
    .catch((error: unknown) => {
      throw signal?.aborted ? target.errors.aborted('The wait was aborted.', signal.reason) : error;
    });
}
