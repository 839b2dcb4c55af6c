import { version } from '../../internal.ts';
import type { CommandLog } from './command-log.ts';
import { describeFailure, exitCodeOf } from './failure.ts';
import { endWithReader } from './output.ts';

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
  help: string,
  body: () => Promise<number | AboutOptions>,
): Promise<number> {
  const fail = (error: unknown) => {
    process.stderr.write(describeFailure(error, log.context));
    return exitCodeOf(error, log.context);
  };
  endWithReader(fail);
  try {
    const result = await body();
    if (typeof result === 'number') return result;
    process.stdout.write(result.help ? help : `${version}\n`);
    return 0;
  } catch (error) {
    return fail(error);
  }
}
