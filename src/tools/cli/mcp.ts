import { isRecord } from '../../wire/types/type-guards.ts';
import {
  messageOf,
  MissingPackageError,
  parseInteger,
  parseOptions,
  parseUsd,
} from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { EarlyEnd } from './early-end.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { resolveSettings } from './settings.ts';

const help = `Serves the Model Context Protocol on stdin and stdout, so that an agent can generate media within a budget.

Usage: npx polygate mcp --max-usd <usd> [options]

Example:
  npx polygate mcp --max-usd 2 --output ./media

It needs a package: npm install @modelcontextprotocol/server. Without an installation, start it with
npx -p polygate -p @modelcontextprotocol/server polygate mcp --max-usd 2

Options:
  --max-usd <usd>   what all calls of this process may cost; without it, no tool costs anything
  --max-usd-per-call <usd>
                    what one call may cost. It is reserved for a model without a usable price, which is refused otherwise
  --allow-model <id>
                    model that may be used; repeat the option for more (default: all)
  -o, --output <folder>
                    folder of the results (default: ./polygate-media)
  --wait <seconds>  how long a call waits for a result before it returns the id of the task (default: 45)
  --base-url <url>  base URL of the service (default: POLYGATE_BASE_URL, then that of polygate init)
  --api-key <key>   API key (default: POLYGATE_API_KEY, which other users of this machine cannot see)
  -h, --help        print this help and exit

Exit codes:
  0    the client closed stdin
  2    an option, a folder or the installation is invalid; nothing was sent
  130  interrupted with Ctrl-C; 143 SIGTERM
`;

/** Runs the server, and returns its exit code. */
export function runMcp(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate mcp', isPaid: false });
  return runCommand(log, help, async () => {
    const values = parseOptions(args, commandOptions.mcp);
    if (values.help || values.version) return values;
    const usd = (name: 'max-usd' | 'max-usd-per-call') => {
      const text = values[name];
      return text === undefined ? undefined : parseUsd(`--${name}`, text);
    };
    const limits = { maxUsd: usd('max-usd'), maxUsdPerCall: usd('max-usd-per-call') };
    const waitMs = parseInteger('--wait', values.wait ?? '45', 3600) * 1000;
    const settings = resolveSettings(values, process.env);
    const { serve } = await importServer();
    const end = new EarlyEnd();
    try {
      await serve({
        settings,
        limits,
        output: values.output ?? 'polygate-media',
        waitMs,
        allowedModels: values['allow-model'] ?? [],
        signal: end.signal,
      });
    } finally {
      end.dispose();
    }
    return end.exitCode ?? 0;
  });
}

const serverPackage = '@modelcontextprotocol/server';

/** Imports the server. Throws a `UsageError` if the package that it needs is not installed. */
async function importServer() {
  try {
    return await import('../mcp/serve.ts');
  } catch (error) {
    const isMissing = isRecord(error) && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || !messageOf(error).includes(serverPackage)) throw error;
    throw new MissingPackageError(serverPackage, error);
  }
}
