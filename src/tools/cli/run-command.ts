import { version } from '../../internal.ts';
import { describeFailure, exitCodeOf } from './failure.ts';
import type { FailureContext } from './failure.ts';
import { endWithReader, noteFailure } from './terminal.ts';

/** The options `--help` and `--version`. */
export interface AboutOptions {
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

/**
 * Runs a command. Its body returns the exit code, or the options if they contain `--help` or `--version`; it keeps the
 * log from which errors are described on stderr. Returns the exit code.
 */
export async function runCommand(
  log: CommandLog,
  help: () => string,
  body: () => Promise<number | AboutOptions>,
): Promise<number> {
  const fail = (error: unknown) => {
    noteFailure(describeFailure(error, log.context));
    return exitCodeOf(error, log.context);
  };
  endWithReader(fail);
  try {
    const result = await body();
    if (typeof result === 'number') return result;
    process.stdout.write(result.help ? help() : `${version}\n`);
    return 0;
  } catch (error) {
    return fail(error);
  }
}

/**
 * What a command does, in order. A failure is described from it at any moment, including one outside of the command.
 */
export class CommandLog {
  #context: FailureContext;

  constructor(command: Pick<FailureContext, 'command' | 'isPaid' | 'clean'>) {
    this.#context = command;
  }

  /** What is known now. */
  get context(): FailureContext {
    return this.#context;
  }

  /** Adds what has become known, or replaces what was. */
  note(facts: Partial<FailureContext>): void {
    this.#context = { ...this.#context, ...facts };
  }
}

/** Why a run ended early. */
export type EndReason = 'interrupted' | 'timeout';

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/** Ends a run early: on Ctrl-C, on SIGTERM and after a timeout. A second Ctrl-C ends the process immediately. */
export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #listeners = new Map<NodeJS.Signals, () => void>();
  /** Undefined unless the run was ended early. */
  reason: EndReason | undefined;
  /** The exit code; undefined unless the run was ended early. */
  exitCode: number | undefined;

  constructor(timeoutMs?: number) {
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.#end('timeout', 1);
      }, timeoutMs);
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const listener = (): void => {
        if (this.reason === 'interrupted') process.exit(signals[signal]);
        this.#end('interrupted', signals[signal]);
      };
      this.#listeners.set(signal, listener);
      process.on(signal, listener);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves some time after the run was ended early. */
  after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.signal.addEventListener('abort', () => setTimeout(resolve, ms).unref(), { once: true });
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }

  #end(reason: EndReason, exitCode: number): void {
    this.reason = reason;
    this.exitCode = exitCode;
    const name = reason === 'timeout' ? 'TimeoutError' : 'AbortError';
    this.#controller.abort(new DOMException(reason, name));
  }
}
