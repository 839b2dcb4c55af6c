import { parseArguments, unknownName, UsageError } from './arguments.ts';
import { commandOptions, commandSummaries } from './command-options.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { print, printJson } from './terminal.ts';

/** The options of a command, with dashes. */
interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
}

const commands: readonly CommandWords[] = Object.entries(commandOptions).map(([name, options]) => ({
  name,
  summary: summaries()[name] ?? '',
  options: Object.keys(options)
    .map((option) => `--${option}`)
    .toSorted(),
}));

function summaries(): Readonly<Record<string, string>> {
  return commandSummaries;
}

const names = commands.map(({ name }) => name).join(' ');

/** The completion script for bash. It completes commands, options and file names. */
export function bash(): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.join(' ')}" ;;\n`,
  );
  return `# Completion of polygate for bash.
_polygate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${names} " in *" $word "*) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${names} --help --version" ;;
${cases.join('')}  esac
  if [[ "$command" == "" || "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _polygate polygate
`;
}

/** The completion script for zsh. */
export function zsh(): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary}'\n`);
  const cases = commands.map(
    ({ name, options }) => `    ${name}) compadd -- ${options.join(' ')} ;;\n`,
  );
  return `#compdef polygate
# Completion of polygate for zsh.
_polygate() {
  local -a commands
  commands=(
${described.join('')}  )
  local command="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ " ${names} " == *" $word "* ]]; then command="$word"; break; fi
  done
  if [[ -z "$command" ]]; then _describe command commands; return; fi
  if [[ "$PREFIX" != -* ]]; then _files; return; fi
  case "$command" in
${cases.join('')}  esac
}
if [[ "$funcstack[1]" == _polygate ]]; then _polygate "$@"; else compdef _polygate polygate; fi
`;
}

/** The completion script for fish. */
export function fish(): string {
  const described = commands.map(
    ({ name, summary }) =>
      `complete -c polygate -f -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d '${summary}'\n`,
  );
  const options = commands.flatMap((command) =>
    command.options.map(
      (option) =>
        `complete -c polygate -n "__fish_seen_subcommand_from ${command.name}" -l ${option.slice(2)}\n`,
    ),
  );
  return `# Completion of polygate for fish.\n${described.join('')}${options.join('')}`;
}

const help = () =>
  helpOf('completion', {
    about: 'Prints a completion script: it completes commands and their options.',
    usage: ['npx polygate completion bash|zsh|fish'],
    examples: [
      'polygate completion bash >> ~/.bashrc',
      'polygate completion zsh > ~/.zfunc/_polygate      # a folder of your fpath',
      'polygate completion fish > ~/.config/fish/completions/polygate.fish',
    ],
    examplesNeed: ', with polygate installed globally or in PATH',
  });

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
