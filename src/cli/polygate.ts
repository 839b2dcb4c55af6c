#!/usr/bin/env node
import { version } from '../internal/version.ts';
import { commonOptions, parseOptions, printError, unknownName, UsageError } from './arguments.ts';

const help = `Tools for the polygate client.

Usage: npx polygate <command> [options]

Commands:
  doctor      check whether a service behaves as the client expects, and print the options to set if not
  mock        start the reference gateway on this machine; requests cost nothing
  types       write the ids of your models to a declaration file, so that a wrong id does not compile

Options:
  --version   print the version and exit
  -h, --help  print this help and exit

To see the options of a command, run npx polygate <command> --help.
`;

const commands = ['doctor', 'mock', 'types', 'help'];

/** Runs the command. Returns the exit code; undefined if it keeps running. */
async function main([command = 'help', ...args]: string[]): Promise<number | undefined> {
  // Imported when needed, so that each command loads only what it uses.
  switch (command) {
    case 'doctor':
      return (await import('./doctor/command.ts')).runDoctor(args);
    case 'mock':
      return (await import('./mock/command.ts')).runMock('polygate mock', args);
    case 'types':
      return (await import('./types/command.ts')).runTypes(args);
    case 'help':
      if (args[0] !== undefined && args[0] !== 'help') return main([args[0], '--help']);
      process.stdout.write(help);
      return 0;
    default:
      if (!command.startsWith('-')) {
        throw new UsageError(unknownName('command', command, commands));
      }
  }
  const options = parseOptions([command, ...args], commonOptions);
  process.stdout.write(options.version && !options.help ? `${version}\n` : help);
  return 0;
}

const code = await main(process.argv.slice(2)).catch((error: unknown) =>
  printError('polygate', error, error instanceof UsageError ? 2 : 1),
);
if (code !== undefined) process.exitCode = code;
