import { modelTypes } from '../../wire/types/catalog/pricing.ts';
import { choice, flag, one, many } from './arguments.ts';

/**
 * The options of all commands, each written once: parsing, help, completion scripts and checks of the documentation follow
 * from these tables. The program needs all of them to find the command behind options that precede it, so an option has
 * the same type in every command.
 */

/** The commands that generate something. */
export const generationKinds = ['image', 'video', 'music', 'speech'] as const;

/** What the rows of a batch generate. */
export const batchKinds = [...generationKinds, 'chat'] as const;

/** The formats of a table. */
export const formats = ['csv', 'tsv', 'jsonl'] as const;

/** What the first argument of a command can be. */
export const firstArguments: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  task: ['list', 'get', 'wait'],
  completion: ['bash', 'zsh', 'fish'],
};

/** The options of every command, and of the program itself. */
export const commonOptions = {
  help: { type: 'boolean', short: 'h', help: 'print this help and exit' },
  version: flag('print the version and exit'),
} as const;

const inService = { group: 'Service' } as const;

/** The options that select the service. `otherwise` is what applies without them and their variables. */
const selecting = (otherwise: string) => ({
  'base-url': one('<url>', 'base URL of the service', {
    env: 'POLYGATE_BASE_URL',
    otherwise,
    ...inService,
  }),
  'api-key': one('<key>', 'API key; other users of this machine can see it on a command line', {
    env: 'POLYGATE_API_KEY',
    otherwise,
    ...inService,
  }),
});

/** The options that select the service in all commands but `init`, which stores them. */
export const serviceOptions = selecting('what polygate init has stored');

/** The end of the table of every command that uses the service. */
const service = { ...serviceOptions, ...commonOptions } as const;

const json = (what: string) => ({ json: flag(`print ${what}`) });

const modelOf = (help: string) => one('<id>', help, { short: 'm' });

const inRequest = { group: 'Fields of the request' } as const;

/** Any field of the request. */
const fields = {
  param: many(
    '<name=value>',
    'any other field, such as n=2; repeat the option for more. The value is JSON if it parses, and text otherwise. A name that is probably misspelled is refused',
    inRequest,
  ),
  field: many('<name=value>', 'like --param, for a name that it refuses', inRequest),
} as const;

const size = one('<pixels>', 'such as 1024x1024', { field: 'size', ...inRequest });
const aspectRatio = one('<ratio>', 'such as 16:9', { field: 'aspect_ratio', ...inRequest });
const duration = one('<seconds>', 'length of the video', {
  field: 'duration',
  isNumber: true,
  ...inRequest,
});
const voice = one('<voice>', 'voice that reads the text; npx polygate voices lists them', {
  field: 'voice_id',
  ...inRequest,
});

/** The options of `image`, `video`, `music` and `speech`. `type` is what the service calls their models. */
function generation<const Fields extends object>(type: string, common: Fields) {
  return {
    model: modelOf(`model; npx polygate models --type ${type} lists them`),
    output: one(
      '<file>',
      'name of the file. {id} is the task id, {n} the number of the result, {ext} the extension of its media type. Several results get {n}, or -2, -3',
      { short: 'o', default: '{id}.{ext}' },
    ),
    force: flag('replace existing files'),
    'no-wait': flag('print the receipt as JSON and do not wait'),
    receipt: one('<file>', 'write a copy of the receipt to this file', {}),
    'idempotency-key': one(
      '<key>',
      'key of the request: a repetition with the same key is not charged again',
      {},
    ),
    ...json('files, URLs, charge, task id and key as one JSON object'),
    ...common,
    ...fields,
    ...service,
  };
}

export const commandOptions = {
  chat: {
    model: modelOf('model; npx polygate models --type chat lists them'),
    system: one('<text>', 'instructions for the model', {}),
    image: many('<url>', 'an image for the model to see; repeat the option for more', {}),
    ...json('the completion, with its charge as usd, as one JSON object when it is complete'),
    ...fields,
    ...service,
  },
  image: generation('image', { size, 'aspect-ratio': aspectRatio }),
  video: generation('video', { duration, size, 'aspect-ratio': aspectRatio }),
  speech: generation('audio', { voice }),
  music: generation('audio', {}),
  batch: {
    model: modelOf('model of rows without a column model'),
    output: one(
      '<file>',
      'name of the files. {id} is the id of the row, {n} the number of the result, {ext} the extension of its media type',
      { short: 'o', default: '{id}.{ext}' },
    ),
    'max-usd': one(
      '<usd>',
      'the most that all runs of this batch may cost; required without a terminal',
      {},
    ),
    partial: flag('send as many rows as --max-usd covers, instead of none'),
    'dry-run': flag('check the table, print rows, estimated cost and balance, and send nothing'),
    yes: flag('do not ask for confirmation'),
    column: one('<name>', 'write a copy of the table with the answers of chats in this column', {}),
    kind: choice('<kind>', batchKinds, '', { otherwise: 'that of the model' }),
    format: choice('<format>', formats, '', { otherwise: 'by the name of the file' }),
    'retry-failed': flag('pay again for rows whose task failed'),
    'resend-unknown': flag(
      'send chats again that may have been charged, and whose answer was lost: they can be charged twice',
    ),
    'same-account': flag(
      'continue a journal whose rows were sent with another API key of the same account',
    ),
    journal: one('<file>', 'what the next run continues from', {
      otherwise: '<file>.polygate.jsonl',
    }),
    results: one('<file>', 'one line per row at the end of each run', {
      otherwise: '<file>.results.jsonl',
    }),
    force: flag('replace files that this batch did not write'),
    ...json('the summary as one JSON object'),
    ...fields,
    ...service,
  },
  models: {
    type: choice('<type>', modelTypes, 'only models of this type: ', {}),
    ...json('one JSON array, with every field that the service sends'),
    ...service,
  },
  voices: {
    model: modelOf('only voices that this model accepts'),
    ...json('one JSON array, with every field that the service sends'),
    ...service,
  },
  balance: { ...json('one JSON object; amounts are in USD'), ...service },
  task: {
    output: one(
      '<file>',
      'name of the file. {id} is the task id, {n} the number of the result, {ext} the extension of its media type',
      { short: 'o', otherwise: 'that of the command that submitted the task, or {id}.{ext}' },
    ),
    kind: choice(
      '<kind>',
      generationKinds,
      'what a task generates that was not submitted on this machine: ',
      {},
    ),
    force: flag('replace existing files'),
    ...json('JSON: one array for list, one object for get and wait'),
    ...service,
  },
  init: {
    ...json('the path and the result of the checks as JSON'),
    ...selecting('asks for it'),
    ...commonOptions,
  },
  doctor: {
    spend: one(
      '<usd>',
      'include paid checks: one chat, one stream, one image and their replays, for at most this amount',
      {},
    ),
    timeout: one('<seconds>', 'maximum duration of all checks', { default: '120' }),
    verbose: flag('print every check that was skipped, and the ids of checks and assumptions'),
    ...json('the result as JSON and nothing else'),
    ...service,
  },
  types: {
    output: one('<file>', 'file to write', { short: 'o', default: 'polygate.models.d.ts' }),
    check: flag(
      'write nothing; exit with 1 if the file is missing or its models, types or prices have changed',
    ),
    ...json('the result as JSON and nothing else'),
    ...service,
  },
  completion: { ...json('the script as a JSON string'), ...commonOptions },
  mcp: {
    'max-usd': one(
      '<usd>',
      'what all calls of this process may cost; without it, no tool costs anything',
      {},
    ),
    'max-usd-per-call': one(
      '<usd>',
      'what one call may cost. It is reserved for a model without a usable price, which is refused otherwise',
      {},
    ),
    'allow-model': many('<id>', 'model that may be used; repeat the option for more', {
      otherwise: 'all',
    }),
    output: one('<folder>', 'folder of the results', {
      short: 'o',
      default: 'polygate-media',
    }),
    wait: one(
      '<seconds>',
      'how long a call waits for a result before it returns the id of the task',
      { default: '45' },
    ),
    ...service,
  },
  mock: {
    port: one('<number>', 'port to listen on; 0 selects a free port', { default: '8787' }),
    host: one('<host>', 'host name or IP address to listen on', { default: '127.0.0.1' }),
    key: many('<sk-...>', 'API key to accept; repeat the option for more', {
      otherwise: 'sk-mock-demo',
    }),
    wallet: one('<usd>', 'initial balance in USD', { default: '1000' }),
    latency: one('<ms>', 'delay before each response', { default: '0' }),
    'chunk-delay': one('<ms>', 'delay between two events of a chat stream', { default: '25' }),
    'task-duration': one('<ms>', 'time until a task has ended', { otherwise: '6000' }),
    'concurrency-limit': one('<n>', 'requests in flight of each user', { otherwise: '8' }),
    seed: one('<text>', 'the same seed produces the same ids, texts and images', {
      default: '1',
    }),
    'image-format': one('<format>', 'png, or svg for images that show their prompt as text', {
      default: 'png',
      values: ['png', 'svg'],
    }),
    fail: many(
      '<fault>',
      "make requests fail: '<route>:<what>', or for one model and a number of times '<route> model=<id>:<what>:<n>'; repeat the option for more",
      {},
    ),
    assume: many(
      '<A=x>',
      'another interpretation of the specification, such as A2=images/generations (see docs/testing.md); repeat the option for more',
      {},
    ),
    cors: flag('let web pages of any origin call the gateway'),
    state: one(
      '<file>',
      'keep wallet, invoice, tasks and other state in a file, so that they survive a restart',
      {},
    ),
    ...commonOptions,
  },
  playground: {
    port: one('<number>', 'port to listen on, on this machine only; 0 selects a free port', {
      default: '5180',
    }),
    open: flag('open the page in the browser'),
    ...commonOptions,
  },
} as const;

/** The name of a command. */
export type CommandName = keyof typeof commandOptions;
