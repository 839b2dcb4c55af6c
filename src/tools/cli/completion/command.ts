import { parseArguments, unknownName, UsageError } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions } from '../command-options.ts';
import { print, printJson } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { bash, fish, zsh } from './scripts.ts';

const help = `Prints a completion script: it completes commands and their options.

Usage: npx polygate completion bash|zsh|fish

Examples, with polygate installed globally or in PATH:
  polygate completion bash >> ~/.bashrc
  polygate completion zsh > ~/.zfunc/_polygate      # a folder of your fpath
  polygate completion fish > ~/.config/fish/completions/polygate.fish

Options:
  --json            print the script as a JSON string
  -h, --help        print this help and exit
`;

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Runs the command, and returns its exit code. */
export function runCompletion(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate completion', isPaid: false });
  return runCommand(log, help, async () => {
    const { values, positionals } = parseArguments(args, commandOptions.completion);
    if (values.help || values.version) return values;
    const [shell = '', ...others] = positionals;
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined || others.length > 0) {
      throw new UsageError(
        shell === '' || others.length > 0
          ? 'name one shell: bash, zsh or fish'
          : unknownName('shell', shell, Object.keys(scripts)),
      );
    }
    await (values.json ? printJson(script()) : print(script()));
    return 0;
  });
}
