import type { WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, TaskKind } from '../../wire/types/tasks/task.ts';
import { pollHeaderRules } from '../call/request-options.ts';
import { readJson } from '../call/response.ts';
import type { ResponseHandler, ResponseReader } from '../call/response.ts';
import { throwToCaller, captureContext } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { checkOptions, functionValue, nonNegativeMs, signalRule } from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { Pollable, PollTarget, Polled, WaitStart } from './polled-record.ts';
import type * as WaitSteps from './wait-steps.ts';

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

/** Creates what polls the record. */
type CreateTarget<Value extends Pollable, Result> = (
  steps: typeof WaitSteps,
) => PollTarget<Value, Result>;

/** Creates a handler of task records. The part that waits for tasks reads them, so a call with this handler lists it. */
export function readTask<Kind extends TaskKind>(kind: Kind): ResponseHandler<Generation<Kind>> {
  let read: ResponseReader<Generation<Kind>> | undefined;
  // Without a promise for each poll, of which 10,000 tasks have many.
  return readJson((...received) =>
    read
      ? read(...received)
      : waits.load().then(({ readGeneration }) => (read = readGeneration(kind))(...received)),
  );
}

/** Checks the options, waits until the record is finished, and returns the result. */
export function checkAndWait<Value extends Pollable, Result>(
  start: WaitStart,
  createTarget: CreateTarget<Value, Result>,
  options: WaitOptions<Polled<Value>>,
): Promise<Result> {
  try {
    checkOptions(options, waitCallbackRules);
  } catch (error) {
    return Promise.reject(error);
  }
  return waitForResult(start, createTarget, options);
}

/** Waits until the record is finished, passes each update to `onUpdate`, and returns the result. */
export function waitForResult<Value extends Pollable, Result>(
  start: WaitStart,
  createTarget: CreateTarget<Value, Result>,
  options: WaitOptions<Polled<Value>>,
  parent?: Span,
): Promise<Result> {
  return loadSteps(start, options, async (steps, given) => {
    const wait = new steps.Wait(createTarget(steps), given, parent);
    return wait.untilFinished(given.onUpdate);
  });
}

/** Yields the result of every poll until the record is finished. */
export function updatesOf<Value extends Pollable>(
  start: WaitStart,
  createTarget: CreateTarget<Value, unknown>,
  options: WaitOptions<never>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  // Now, because the generator starts when the caller takes the first update.
  const enter = captureContext(start.context.config);
  return iterateUpdates(() => {
    checkOptions(options, waitRules);
    return enter(() =>
      loadSteps(start, options, async (steps, given) => new steps.Wait(createTarget(steps), given)),
    );
  });
}

async function* iterateUpdates<Value extends Pollable>(
  start: () => Promise<WaitSteps.Wait<Value, unknown>>,
): AsyncGenerator<Polled<Value>, void, undefined> {
  try {
    const wait = await start();
    yield* wait.updates();
  } catch (error) {
    throwToCaller(error);
  }
}

/** Calls `work` now if what waits is loaded, and otherwise as soon as it is. */
function loadSteps<Options extends WaitOptions<never>, Result>(
  start: WaitStart,
  options: Options,
  work: (steps: typeof WaitSteps, given: Options) => Promise<Result>,
): Promise<Result> {
  if (waits.loaded) return work(waits.loaded, options);
  const { signal, waitTimeout = Infinity } = options;
  // Now, because the caller may change the object while the part is loading.
  const given = { ...options };
  return waits.use(start.context.config, (steps) => work(steps, given), {
    signal,
    // A wait that must not poll at all still has the time to load a file that is there.
    timeout: Math.min(Math.max(waitTimeout, 1_000), 60_000),
    details: { outcome: 'not-sent', ...start.errorDetails },
    aborted: (reason) => start.aborted(reason),
  });
}
