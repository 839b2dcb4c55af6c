import { isRecord } from '../../wire/types/type-guards.ts';
import {
  messageOf,
  MissingPackageError,
  parseInteger,
  parseOptions,
  parseUsd,
} from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { helpOf } from './help.ts';
import { EarlyEnd, CommandLog, runCommand } from './run-command.ts';
import { resolveSettings } from './settings.ts';

const help = () =>
  helpOf('mcp', {
    about:
      'Serves the Model Context Protocol on stdin and stdout, so that an agent can generate media within a budget.',
    usage: ['npx polygate mcp --max-usd <usd> [options]'],
    examples: ['npx polygate mcp --max-usd 2 --output ./media'],
    notes: [
      `It needs a package: npm install ${serverPackage}. Without an installation, start it with`,
      `  npx -p polygate -p ${serverPackage} polygate mcp --max-usd 2`,
    ],
    exits: {
      0: 'the client closed stdin',
      2: 'an option, a folder or the installation is invalid; nothing was sent',
    },
  });

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
    const waitMs = parseInteger('--wait', values.wait, 3600) * 1000;
    const settings = resolveSettings(values, process.env);
    const { serve } = await importServer();
    const end = new EarlyEnd();
    try {
      await serve({
        settings,
        limits,
        output: values.output,
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
