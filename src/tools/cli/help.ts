import type { Option } from './arguments.ts';
import { commandOptions, commonOptions } from './command-options.ts';
import type { CommandName } from './command-options.ts';
import { paint, styleFor, wrap } from './text.ts';
import type { Style } from './text.ts';

/** What the help of a command says besides its options. */
interface HelpText {
  /** What the command does, in one sentence. */
  readonly about: string;
  readonly usage: readonly string[];
  /** Commands to paste. They are not wrapped: a long one has line breaks that a shell understands. */
  readonly examples?: readonly string[];
  /** Whether the examples work as they are. */
  readonly examplesNeed?: string;
  readonly notes?: readonly string[];
  /** What the exit codes mean, apart from those of a command that was ended from outside. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Names and what they mean, under a heading, after the options. */
  readonly lists?: Readonly<Record<string, DefinitionList>>;
  /** The last paragraph. */
  readonly end?: string;
}

/** Names with their explanations. A text between them is a paragraph. */
type DefinitionList = readonly (string | readonly [name: string, text: string])[];

/** The exit codes of a command that was ended from outside. */
const endedCodes = [
  ['130', 'interrupted with Ctrl-C'],
  ['141', 'the output pipe was closed, as in polygate models | head'],
  ['143', 'interrupted with SIGTERM'],
] as const;

/** Longer lines are hard to read. */
const maxWidth = 100;

/** The style of help on stdout: a pipe gets lines for any terminal. */
function helpStyle(): Style {
  const { color, width } = styleFor(process.stdout);
  return { color, width: width === Infinity ? 80 : Math.min(width, maxWidth) };
}

/** The help of a command. */
export function helpOf(command: CommandName, text: HelpText, style: Style = helpStyle()): string {
  const {
    about,
    usage,
    examples = [],
    examplesNeed = '',
    notes = [],
    exits,
    lists = {},
    end,
  } = text;
  const usageText = usage.join('\n       ');
  const title = `${examples.length > 1 ? 'Examples' : 'Example'}${examplesNeed}`;
  const sections = [
    wrap(about, 0, style.width),
    `${heading(style, 'Usage:')} ${usageText}`,
    ...(examples.length === 0
      ? []
      : [`${heading(style, `${title}:`)}\n${examples.map(indented).join('\n')}`]),
    ...notes.map((note) => wrap(note, 0, style.width)),
    ...optionSections(style, command),
    ...(exits === undefined
      ? []
      : [section(style, 'Exit codes', [...Object.entries(exits), ...endedCodes])]),
    ...Object.entries(lists).map(([name, rows]) => section(style, name, rows)),
    ...(end === undefined ? [] : [wrap(end, 0, style.width)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The help of the program. */
export function programHelp(style: Style = helpStyle()): string {
  const column = Math.max(...Object.keys(commandOptions).map((name) => name.length));
  const groups = Object.entries(commandGroups).map(([name, commands]) =>
    section(style, name, Object.entries(commands), column),
  );
  const sections = [
    'Tools for the polygate client.',
    `${heading(style, 'Usage:')} npx polygate <command> [options]`,
    ...groups,
    section(style, 'Options', Object.entries(commonOptions).map(optionRow), column),
    wrap(
      'Commands that use a service take --base-url and --api-key, or POLYGATE_BASE_URL and POLYGATE_API_KEY, or what polygate init has stored. Without an account, npx polygate mock starts a gateway that costs nothing.',
      0,
      style.width,
    ),
    'To see the options of a command, run npx polygate <command> --help.',
  ];
  return `${sections.join('\n\n')}\n`;
}

const heading = (style: Style, text: string) => paint(style, 'bold', text);

const indented = (lines: string) => `  ${lines.replaceAll('\n', '\n  ')}`;

/** The options of a command under their headings, in the order of the table, with their texts below each other. */
function optionSections(style: Style, command: CommandName): string[] {
  const groups: Record<string, [string, string][]> = { Options: [] };
  for (const [name, option] of Object.entries<Option>(commandOptions[command])) {
    (groups[option.group ?? 'Options'] ??= []).push(optionRow([name, option]));
  }
  const column = columnOf(Object.values(groups).flat());
  return Object.entries(groups).map(([name, rows]) => section(style, name, rows, column));
}

function optionRow([name, option]: readonly [string, Option]): [string, string] {
  const { short, value, help } = option;
  const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
  return [value === undefined ? names : `${names} ${value}`, help + defaultText(option)];
}

function defaultText({ env, otherwise, default: value }: Option): string {
  const parts = [env, value ?? otherwise].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` (default: ${parts.join(', then ')})`;
}

/** The widest column of names. Longer names have a line of their own. */
const maxColumn = 20;

function columnOf(rows: DefinitionList): number {
  const widths = rows.map((row) => (typeof row === 'string' ? 0 : row[0].length));
  return Math.max(...widths.filter((width) => width <= maxColumn));
}

/** Names with their explanations, under a heading. */
function section(
  style: Style,
  name: string,
  rows: DefinitionList,
  column = columnOf(rows),
): string {
  const indent = column + 4;
  const lines = rows.map((row) => {
    if (typeof row === 'string') return `  ${wrap(row, 2, style.width)}\n`;
    const [term, text] = row;
    const gap =
      term.length > column ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - 2 - term.length);
    return `  ${term}${gap}${wrap(text, indent, style.width)}`;
  });
  return `${heading(style, `${name}:`)}\n${lines.join('\n')}`;
}

/** What each command does, in the order of the help text: under each heading, the most used ones first. */
const commandGroups = {
  Generate: {
    chat: 'send a prompt to a chat model, and print its response as it is generated',
    image: 'generate an image and save it',
    video: 'generate a video and save it',
    speech: 'turn text into speech and save it',
    music: 'generate music and save it',
    batch: 'generate one result per row of a CSV or JSONL file; can be stopped and run again',
  },
  'Look up': {
    models: 'list the models of the API key, with their prices',
    voices: 'list the voices for speech, with a sample of each',
    balance: 'print the balance, the quota of the API key and the concurrency limit',
    task: 'list, look up or wait for tasks that were submitted',
  },
  'Set up': {
    init: 'store base URL and API key in a configuration file',
    doctor:
      'check whether a service behaves as the client expects, and print the options to set if it does not',
    types:
      'write the ids of your models to a declaration file, so that a wrong id does not compile',
    completion: 'print a completion script for bash, zsh or fish',
    mcp: 'serve the Model Context Protocol, so that an agent can generate media within a budget',
  },
  'Try without an account': {
    mock: 'start the reference gateway on this machine; requests cost nothing',
    playground: 'serve a page on which you can lose responses and see what is charged',
  },
} as const;

/** What each command does. */
export const commandSummaries: Readonly<Record<CommandName, string>> = {
  ...commandGroups.Generate,
  ...commandGroups['Look up'],
  ...commandGroups['Set up'],
  ...commandGroups['Try without an account'],
};
