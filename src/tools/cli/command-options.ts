/**
 * The options of all commands. Each command parses its own; the program needs all of them to find the command behind
 * options that precede it, and the completion scripts list them. An option has the same type in every command.
 */
const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

/** The options of every command, and of the program itself. */
export const commonOptions = {
  help: { type: 'boolean', short: 'h' },
  version: flag,
} as const;

/** The options of every command that uses the service. */
const service = { 'base-url': text, 'api-key': text, json: flag, ...commonOptions } as const;

const model = { type: 'string', short: 'm' } as const;
const output = { type: 'string', short: 'o' } as const;

/** The help text of these options. */
export const serviceHelp = `  --base-url <url>  base URL of the service (default: POLYGATE_BASE_URL, then that of polygate init)
  --api-key <key>   API key (default: POLYGATE_API_KEY, which other users of this machine cannot see)
  -h, --help        print this help and exit
`;

/** The options of `image`, `video`, `music` and `speech`. */
const generation = {
  model,
  output,
  param: list,
  field: list,
  receipt: text,
  'idempotency-key': text,
  'no-wait': flag,
  force: flag,
  ...service,
} as const;

export const commandOptions = {
  chat: { model, system: text, param: list, field: list, image: list, ...service },
  image: generation,
  video: generation,
  music: generation,
  speech: generation,
  batch: {
    model,
    output,
    param: list,
    field: list,
    kind: text,
    column: text,
    format: text,
    journal: text,
    results: text,
    'max-usd': text,
    partial: flag,
    yes: flag,
    'dry-run': flag,
    'retry-failed': flag,
    'resend-unknown': flag,
    'same-account': flag,
    force: flag,
    ...service,
  },
  task: { output, kind: text, force: flag, ...service },
  models: { type: text, ...service },
  balance: service,
  init: { ...service },
  mcp: {
    output,
    wait: text,
    'max-usd': text,
    'max-usd-per-call': text,
    'allow-model': list,
    'base-url': text,
    'api-key': text,
    ...commonOptions,
  },
  completion: { json: flag, ...commonOptions },
  doctor: { spend: text, timeout: text, verbose: flag, ...service },
  types: { output, check: flag, ...service },
  mock: {
    port: text,
    host: text,
    key: list,
    wallet: text,
    latency: text,
    'chunk-delay': text,
    'task-duration': text,
    'concurrency-limit': text,
    seed: text,
    'image-format': text,
    fail: list,
    assume: list,
    cors: flag,
    state: text,
    ...commonOptions,
  },
  playground: { port: text, open: flag, ...commonOptions },
} as const;

/** The name of a command. */
export type CommandName = keyof typeof commandOptions;

/** What each command does, in the order of the help text. */
export const commandSummaries: Readonly<Record<CommandName, string>> = {
  chat: 'send a prompt to a chat model, and print its response as it is generated',
  image: 'generate an image and save it',
  video: 'generate a video and save it',
  music: 'generate music and save it',
  speech: 'turn text into speech and save it',
  batch: 'generate one result per row of a CSV or JSONL file; can be stopped and run again',
  task: 'list, look up or wait for tasks that were submitted',
  models: 'list the models of the API key, with their prices',
  balance: 'print the balance, the quota of the API key and the concurrency limit',
  mcp: 'serve the Model Context Protocol, so that an agent can generate media within a budget',
  init: 'store base URL and API key in a configuration file',
  completion: 'print a completion script for bash, zsh or fish',
  doctor:
    'check whether a service behaves as the client expects, and print the options to set if not',
  mock: 'start the reference gateway on this machine; requests cost nothing',
  playground: 'serve a page on which you can lose responses and see what is charged',
  types: 'write the ids of your models to a declaration file, so that a wrong id does not compile',
};
