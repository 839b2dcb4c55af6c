import { version } from '../internal/version.ts';
import { describeFailure, exitCodeOf } from './failure.ts';
import type { FailureContext } from './failure.ts';
import { endWithReader } from './output.ts';

/** What a command prints about itself. */
interface CommandDescription extends FailureContext {
  help: string;
}

/** The options `--help` and `--version`. */
interface AboutOptions {
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

/**
 * Runs a command. Its body returns the exit code, or the options if they contain `--help` or `--version`. Errors are
 * described on stderr. Returns the exit code.
 */
export async function runCommand(
  { help, ...description }: CommandDescription,
  body: () => Promise<number | AboutOptions>,
): Promise<number> {
  endWithReader();
  try {
    const result = await body();
    if (typeof result === 'number') return result;
    process.stdout.write(result.help ? help : `${version}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(describeFailure(error, description));
    return exitCodeOf(error, description.isPaid);
  }
}
