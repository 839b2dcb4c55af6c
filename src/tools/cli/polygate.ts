#!/usr/bin/env node
import type { ParseArgsOptionsConfig } from 'node:util';

import { version } from '../../internal.ts';
import { findCommand, parseOptions, unknownName, UsageError } from './arguments.ts';
import { commandOptions, commonOptions } from './command-options.ts';
import { programHelp } from './help.ts';
import { printError } from './terminal.ts';

const names = Object.keys(commandOptions);

/** The options of all commands. An option has the same type in each of them. */
const allOptions: ParseArgsOptionsConfig = Object.fromEntries(
  Object.values(commandOptions).flatMap((options) => Object.entries(options)),
);

/** Runs the command. Returns the exit code; undefined if it keeps running. */
async function main(args: string[]): Promise<number | undefined> {
  const position = findCommand(args, allOptions);
  if (position < 0) {
    const options = parseOptions(args, commonOptions);
    process.stdout.write(options.version && !options.help ? `${version}\n` : programHelp());
    return 0;
  }
  const command = args[position] ?? '';
  return run(command, args.toSpliced(position, 1));
}

/** Imports a command when it is needed, so that each one loads only what it uses. */
async function run(command: string, args: string[]): Promise<number | undefined> {
  switch (command) {
    case 'chat':
      return (await import('./chat.ts')).runChat(args);
    case 'image':
    case 'video':
    case 'music':
    case 'speech':
      return (await import('./generate.ts')).runGenerate(command, args);
    case 'batch':
      return (await import('./batch/command.ts')).runBatch(args);
    case 'task':
      return (await import('./task.ts')).runTask(args);
    case 'models':
      return (await import('./look-up.ts')).runModels(args);
    case 'voices':
      return (await import('./look-up.ts')).runVoices(args);
    case 'balance':
      return (await import('./look-up.ts')).runBalance(args);
    case 'init':
      return (await import('./init.ts')).runInit(args);
    case 'completion':
      return (await import('./completion.ts')).runCompletion(args);
    case 'doctor':
      return (await import('./doctor/command.ts')).runDoctor(args);
    case 'mock':
      return (await import('./mock/command.ts')).runMock('polygate mock', args);
    case 'playground':
      return (await import('./playground.ts')).runPlayground(args);
    case 'mcp':
      return (await import('./mcp.ts')).runMcp(args);
    case 'types':
      return (await import('./types.ts')).runTypes(args);
    case 'help':
      if (args[0] !== undefined && args[0] !== 'help') return run(args[0], ['--help']);
      process.stdout.write(programHelp());
      return 0;
    default:
      throw new UsageError(unknownName('command', command, [...names, 'help']));
  }
}

const code = await main(process.argv.slice(2)).catch((error: unknown) =>
  printError('polygate', error, error instanceof UsageError ? 2 : 1),
);
if (code !== undefined) process.exitCode = code;
