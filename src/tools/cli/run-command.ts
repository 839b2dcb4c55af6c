import { version } from '../../internal.ts';
import { describeFailure, exitCodeOf } from './failure.ts';
import type { FailureContext } from './failure.ts';
import { endWithReader, noteFailure } from './terminal.ts';

/** The options `--help` and `--version`. */
interface AboutOptions {
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
