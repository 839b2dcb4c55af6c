import type { ErrorDetails, MessageParts } from '../../errors/base.ts';
import { abortedError, ConnectionError, RequestTimeoutError } from '../../errors/call.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { partsLoading } from '../../wire/types/parts-loading.ts';
import { captureContext } from '../config/caller.ts';
import { systemClock } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { sentence, singleLine } from './json.ts';

/** What ends the loading of a part, and what its errors say. */
export interface LoadOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * How long it may take, in ms of real time.
   * @defaultValue 60,000
   */
  readonly timeout?: number | undefined;
  /** The clock of the timeout. Without real time, the default applies: files take real time, whatever the clock. */
  readonly clock?: Clock | undefined;
  /**
   * The details of the errors.
   * @defaultValue nothing was sent
   */
  readonly details?: ErrorDetails | undefined;
  /**
   * Creates the error of an aborted signal.
   * @defaultValue an `AbortedError` with the details
   */
  readonly aborted?: ((reason: unknown) => Error) | undefined;
}

const maxLoadTime = 60_000;

/**
 * A part of the client that many pages never use. Bundlers put it into a file of its own, which is loaded when the part is
 * first used: before anything is sent, because no result that was paid for may depend on a file that can be missing.
 *
 * Each part is declared next to the function that starts it. `src/all.ts` lists all of them.
 */
export class Part<Module> {
  readonly #import: () => Promise<Module>;
  #module: Module | undefined;

  constructor(importModule: () => Promise<Module>) {
    this.#import = importModule;
  }

  /** The module; undefined until it is loaded. */
  get loaded(): Module | undefined {
    return this.#module;
  }

  /** Makes the part available without loading it, to callers that have imported its module themselves. */
  provide(module: Module): void {
    this.#module = module;
  }

  /**
   * Loads the part. If this fails, a later call tries again.
   *
   * @throws {@link ConnectionError} if it cannot be loaded.
   * @throws {@link RequestTimeoutError} if it is not loaded in time.
   * @throws {@link AbortedError} if the signal aborts.
   */
  async load({
    signal,
    timeout = maxLoadTime,
    clock = systemClock,
    details = { outcome: 'not-sent' },
    aborted = (reason) => abortedError(reason, details),
  }: LoadOptions = {}): Promise<Module> {
    if (this.#module !== undefined) return this.#module;
    const load = async () => {
      try {
        return await this.#import();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw createError(ConnectionError, problem(reason, details), {
          ...details,
          reason: 'not-loaded',
        });
      }
    };
    const loading = partsLoading();
    const entry = {};
    loading.add(entry);
    try {
      this.#module = await runWithTimeLimit(load, {
        clock: systemClock,
        ms: clock === systemClock ? timeout : maxLoadTime,
        signal,
        errors: {
          aborted,
          timeout: (ms) =>
            createError(
              RequestTimeoutError,
              problem(`no response within ${ms} ms`, details),
              details,
            ),
        },
      });
    } finally {
      loading.delete(entry);
    }
    return this.#module;
  }

  /** Calls `work` now if the part is loaded, and otherwise in the context of the caller as soon as it is. */
  use<Result>(
    config: Config,
    work: (module: Module) => Promise<Result>,
    options?: LoadOptions,
  ): Promise<Result> {
    if (this.#module !== undefined) return work(this.#module);
    const enter = captureContext(config);
    return this.load({ clock: config.clock, ...options }).then((module) =>
      enter(() => work(module)),
    );
  }
}

function problem(reason: string, { outcome, task }: ErrorDetails): MessageParts {
  return {
    summary: `A part of polygate could not be loaded: ${sentence(singleLine(reason))}`,
    charge: task || outcome !== 'not-sent' ? undefined : nothingSent,
    advice: task && `Task ${task.id} is not lost.`,
  };
}
