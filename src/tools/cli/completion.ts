import { parseArguments, unknownName, UsageError } from './arguments.ts';
import type { Option } from './arguments.ts';
import { batchKinds, commandOptions, firstArguments } from './command-options.ts';
import { commandSummaries, helpOf } from './help.ts';
import { kindOfModel } from './params.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { createGateway, resolveSettings } from './settings.ts';
import { print, printJson } from './terminal.ts';
import { shellWord } from './text.ts';

/** What the value of an option can be; undefined if it has none. */
type Value = 'model' | 'file' | 'text' | undefined;

/** What the scripts know about a command. */
interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** The options, with their dashes. */
  readonly options: readonly {
    readonly long: string;
    readonly short: string | undefined;
    readonly value: Value;
    /** The only values that it can have, separated by spaces. */
    readonly values: string;
  }[];
  /** What the models of `-m` generate; empty if that can be anything. */
  readonly kind: string;
  /** What its first argument can be, separated by spaces; empty if that is anything else. */
  readonly actions: string;
}

const commands: readonly CommandWords[] = Object.entries(commandOptions).map(([name, options]) => ({
  name,
  summary: new Map<string, string>(Object.entries(commandSummaries)).get(name) ?? '',
  options: Object.entries<Option>(options)
    .map(([option, { short, value, values = [] }]) => ({
      long: `--${option}`,
      short: short && `-${short}`,
      value: value === undefined ? undefined : valueOf(value),
      values: values.join(' '),
    }))
    .toSorted((one, other) => (one.long < other.long ? -1 : 1)),
  kind: batchKinds.find((kind) => kind === name) ?? '',
  actions:
    new Map<string, readonly string[]>(Object.entries(firstArguments)).get(name)?.join(' ') ?? '',
}));

/** The assignments of a command, as a case of `case`. `options` names the variable of its options. */
const commandCase = (command: CommandWords, options: string) =>
  `    ${command.name}) ${options} kind="${command.kind}" actions="${command.actions}" ;;\n`;

/** The values of options that have only some, as cases of `case` by command and option. */
const valueCases = commands
  .flatMap(({ name, options }) => options.map((option) => ({ name, ...option })))
  .filter(({ values }) => values !== '')
  .map(({ name, long, values }) => `    "${name} ${long}") values="${values}" ;;\n`)
  .join('');

/** What a value can be, from its name in the help. */
function valueOf(name: string): Value {
  if (name === '<id>') return 'model';
  return name === '<file>' || name === '<folder>' ? 'file' : 'text';
}

const names = commands.map(({ name }) => name).join(' ');
const longNames = ({ options }: CommandWords) => options.map(({ long }) => long).join(' ');

/** The options of all commands with such a value, as a pattern of `case`. */
function pattern(value: Value): string {
  const options = commands
    .flatMap((command) => command.options)
    .filter((option) => option.value === value);
  return [...new Set(options.flatMap(({ long, short = long }) => [short, long]))].join('|');
}

/** The completion script for bash. It completes commands, options, ids of models and names of files. */
export function bash(): string {
  const cases = commands.map((command) => commandCase(command, `words="${longNames(command)}"`));
  return `# Completion of polygate for bash.
_polygate_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$1"))
}
_polygate_models() {
  local cache="_polygate_models_$1" program=(polygate)
  type polygate &>/dev/null || program=(npx --no polygate)
  [[ -n "\${!cache}" ]] || printf -v "$cache" %s "$("\${program[@]}" completion models $1 2>/dev/null)"
  words="\${!cache}"
}
_polygate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" kind="" actions="" values="" word words="" start=0
  COMPREPLY=()
  if [[ "\${COMP_WORDS[0]}" == npx ]]; then
    start=1
    while [[ "\${COMP_WORDS[start]}" == -* ]] && ((start < COMP_CWORD)); do ((start += 1)); done
    if ((start == COMP_CWORD)) || [[ "\${COMP_WORDS[start]}" != polygate ]]; then
      # Another package.
      if [[ -n "$_polygate_npx" ]]; then "$_polygate_npx" "$@"; else _polygate_files "$current"; fi
      ((start < COMP_CWORD)) || COMPREPLY+=($(compgen -W polygate -- "$current"))
      return
    fi
  fi
  for word in "\${COMP_WORDS[@]:start+1:COMP_CWORD-start-1}"; do
    case " ${names} " in *" $word "*) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${names} --help --version" ;;
${cases.join('')}  esac
  for word in "\${COMP_WORDS[@]:start+1:COMP_CWORD-start-1}"; do
    case " $actions " in *" $word "*) actions="" ;; esac
  done
  # The sign in --model=<id> is a word.
  if [[ "$current" == "=" ]]; then current=""
  elif [[ "$previous" == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$command $previous" in
${valueCases}  esac
  case "$previous" in
    ${pattern('model')}) _polygate_models "$kind" ;;
    ${pattern('file')}) _polygate_files "$current"; return ;;
    ${pattern('text')}) words="$values" ;;
    *) if [[ "$command" != "" && "$current" != -* ]]; then
        [[ -n "$actions" ]] || { _polygate_files "$current"; return; }
        words="$actions"
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
if [[ "$(complete -p npx 2>/dev/null)" =~ -F\\ ([^\\ ]+) && "\${BASH_REMATCH[1]}" != _polygate ]]; then
  _polygate_npx="\${BASH_REMATCH[1]}"
fi
complete -o filenames -F _polygate polygate npx
`;
}

/** The completion script for zsh. */
export function zsh(): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary}'\n`);
  const cases = commands.map((command) => commandCase(command, `options=(${longNames(command)})`));
  return `#compdef polygate npx
# Completion of polygate for zsh.
typeset -gA _polygate_models
_polygate() {
  local -a described options program
  described=(
${described.join('')}  )
  local command="" kind="" actions="" values="" word="" previous=""
  local -i start=2
  if [[ "$words[1]" == npx ]]; then
    while [[ "$words[start]" == -* ]] && ((start < CURRENT)); do ((start += 1)); done
    if ((start == CURRENT)) || [[ "$words[start]" != polygate ]]; then
      # Another package.
      ((start < CURRENT)) || compadd -- polygate
      _files
      return
    fi
    words=("\${(@)words[start,-1]}")
    ((CURRENT -= start - 1))
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ " ${names} " == *" $word "* ]]; then command="$word"; break; fi
  done
  case "$command" in
${cases.join('')}  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ " $actions " == *" $word "* ]]; then actions=""; fi
  done
  previous="$words[CURRENT-1]"
  if [[ "$PREFIX" == --*=* ]]; then
    previous="\${PREFIX%%=*}"
    compset -P '*='
  fi
  case "$command $previous" in
${valueCases}  esac
  case "$previous" in
    ${pattern('model')})
      program=(polygate)
      whence polygate >/dev/null || program=(npx --no polygate)
      if [[ -z "$_polygate_models[x$kind]" ]]; then
        _polygate_models[x$kind]="$($program completion models $kind 2>/dev/null)"
      fi
      compadd -- \${(f)_polygate_models[x$kind]} ;;
    ${pattern('file')}) _files ;;
    ${pattern('text')}) compadd -- \${=values} ;;
    *)
      if [[ -z "$command" ]]; then _describe command described
      elif [[ "$PREFIX" == -* ]]; then compadd -- $options
      elif [[ -n "$actions" ]]; then compadd -- \${=actions}
      else _files; fi ;;
  esac
}
if [[ "$funcstack[1]" == _polygate ]]; then _polygate "$@"; else compdef _polygate polygate npx; fi
`;
}

/** The completion script for fish. */
export function fish(): string {
  const described = commands.map(
    ({ name, summary }) =>
      `complete -c polygate -f -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d '${summary}'\n`,
  );
  const options = commands.flatMap(({ name, kind, options: own }) =>
    own.map(({ long, short, value, values: some }) => {
      const letter = short === undefined ? '' : ` -s ${short.slice(1)}`;
      const words = value === 'model' ? `(__polygate_models ${kind})` : some;
      const offered = words === '' ? '' : ` -k -a "${words}"`;
      const values = value === undefined ? '' : value === 'file' ? ' -r -F' : ' -x';
      return `complete -c polygate -n "__fish_seen_subcommand_from ${name}" -l ${long.slice(2)}${letter}${values}${offered}\n`;
    }),
  );
  const actions = commands
    .filter((command) => command.actions !== '')
    .map(
      ({ name, actions: words }) =>
        `complete -c polygate -f -n "__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words}" -k -a "${words}"\n`,
    );
  return `# Completion of polygate for fish.
function __polygate_models
  set -l cache "__polygate_models_$argv[1]"
  set -l program polygate
  type -q polygate; or set program npx --no polygate
  set -q $cache; or set -g $cache ($program completion models $argv 2>/dev/null)
  string join -- \\n $$cache; or set -e $cache
end
# Completes npx polygate like polygate.
set -l with_npx '^npx +(-\\S+ +)*(?=polygate )'
complete -c npx -f -n "string match -qr '$with_npx' -- (commandline -cp)" -a "(complete -C (string replace -r '$with_npx' '' -- (commandline -cp)))"
${described.join('')}${actions.join('')}${options.join('')}`;
}

const help = () =>
  helpOf('completion', {
    about:
      'Prints a completion script: it completes commands, options and their values, ids of models and names of files.',
    usage: ['npx polygate completion bash|zsh|fish'],
    examples: [
      'npx polygate completion bash >> ~/.bashrc',
      'npx polygate completion zsh > ~/.zfunc/_polygate      # a folder of your fpath',
      'npx polygate completion fish > ~/.config/fish/conf.d/polygate.fish',
    ],
    notes: [
      'The script completes polygate and npx polygate. The models are those of POLYGATE_API_KEY or polygate init.',
    ],
  });

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Runs the command, and returns its exit code. */
export function runCompletion(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate completion', isPaid: false });
  return runCommand(log, help, async () => {
    const { values, positionals } = parseArguments(args, commandOptions.completion);
    if (values.help || values.version) return values;
    const [shell = '', ...others] = positionals;
    if (shell === 'models') {
      await print(await modelLines(others[0] || undefined));
      return 0;
    }
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

/** How long a shell waits for the models, in ms. */
const modelsTimeoutMs = 3000;

/** The ids of the models of a kind, one per line, for the scripts. Empty if they are not known. */
async function modelLines(kind: string | undefined): Promise<string> {
  try {
    const gateway = createGateway(resolveSettings({}, process.env));
    const { data } = await gateway.models.list({}, { timeout: modelsTimeoutMs, maxRetries: 0 });
    const models = data.filter((model) => kind === undefined || kindOfModel(model) === kind);
    // A shell would execute others.
    const ids = models.map(({ id }) => id).filter((id) => shellWord(id) === id);
    return ids.map((id) => `${id}\n`).join('');
  } catch {
    return '';
  }
}
