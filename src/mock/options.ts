import * as z from 'zod/mini';

import type { Model } from '../wire/types/catalog/models.ts';
import type { TaskKind } from '../wire/types/tasks/task.ts';
import type { ExchangeSummary, KeyState } from './gateway.ts';
import { checkNames } from './option-names.ts';
import type { OptionNames } from './option-names.ts';

/**
 * Switches for gaps in the specification that services may fill differently. The ids are those of the
 * client's `assumptions` list.
 */
export interface MockAssumptions {
  /** The video poll path that works. With `'any'`, all of them work and submit responses have a `Location`. */
  A1: 'any' | 'videos' | 'video/generations' | 'videos/generations';
  /** The image poll path that works. With `'any'`, all of them work and submit responses have a `Location`. */
  A2: 'any' | 'images/tasks' | 'images/generations';
  /**
   * The shape of image and video task records: that of audio tasks, or an OpenAI-style shape with
   * numeric progress and the files in `data[].url`.
   */
  A3: 'audio' | 'openai';
  /** The status value for success; `'raw'` uses the values of `raw_status` for every status. */
  A4: 'completed' | 'succeeded' | 'raw';
  /** The field of an audio task that contains the URL, besides `audio_url`. */
  A5: 'result' | 'output';
  /** The field that wraps task records, if any. */
  A6: 'flat' | 'data' | 'task';
  /** Whether POST /v1/images/generations returns a task, or waits and returns 200 with `data[].url`. */
  A7: 'task' | 'finished';
  /** The shape of error bodies. */
  A9: 'envelope' | 'string' | 'flat' | 'detail' | 'success' | 'html';
  /** The response header that carries the request id, besides `x-request-id`. */
  A10: string;
  /** Whether a chat request with a reused idempotency key is charged again. */
  A11: 'charge' | 'replay';
  /** Whether a voice clone or design with a reused idempotency key is charged again. */
  A12: 'charge' | 'replay';
  /** Whether a generation key reused with a different body replays the task or returns a 409. */
  A13: 'replay' | 'conflict';
  /** Whether a slot is held for the duration of the request, or until its task has ended. */
  A14: 'request' | 'task';
  /** Whether a failed task is refunded. */
  A15: 'refund' | 'keep';
  /** Whether the endpoints for usage records, cost estimates, image edits and interactions exist. */
  A20: 'off' | 'on';
  /** Whether `next_cursor` is null or absent on the last page. */
  A21: 'null' | 'absent';
  /** Lifetime of a verification URL in minutes. */
  A22: number;
}

/** The values of each switch, with its default. They match the assumptions of the client. */
export const mockAssumptions = z.object({
  A1: oneOf('any', 'videos', 'video/generations', 'videos/generations'),
  A2: oneOf('any', 'images/tasks', 'images/generations'),
  A3: oneOf('audio', 'openai'),
  A4: oneOf('completed', 'succeeded', 'raw'),
  A5: oneOf('result', 'output'),
  A6: oneOf('flat', 'data', 'task'),
  A7: oneOf('task', 'finished'),
  A9: oneOf('envelope', 'string', 'flat', 'detail', 'success', 'html'),
  A10: z.prefault(
    z.string().check(z.regex(/^[\w-]+$/, 'must be the name of a header')),
    'x-request-id',
  ),
  A11: oneOf('charge', 'replay'),
  A12: oneOf('charge', 'replay'),
  A13: oneOf('replay', 'conflict'),
  A14: oneOf('request', 'task'),
  A15: oneOf('refund', 'keep'),
  A20: oneOf('off', 'on'),
  A21: oneOf('null', 'absent'),
  A22: z.prefault(z.number('must be a number of minutes'), 30),
}) satisfies z.ZodMiniType<MockAssumptions>;

/** A switch with the given values. The first one is the default. */
function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.prefault(z.enum(values), values[0]);
}

/** An API key that the gateway accepts. */
export interface MockKey {
  /** The key as clients send it. */
  key: string;
  /**
   * The owner. Wallet, slots, tasks, materials and voices belong to the owner, not to the key.
   *
   * @defaultValue 'demo'
   */
  user?: string | number | undefined;
  /** Whether the gateway accepts the key. @defaultValue 'enabled' */
  state?: KeyState | undefined;
  /** A concurrency limit for this key; responses then report `api_key_override` as its source. */
  concurrencyLimit?: number | undefined;
}

/** The outcome of a task. */
export type TaskOutcome = 'succeeded' | 'failed';

/** A submitted task, as the functions in {@link TaskOptions} receive it. */
export interface TaskSubmit {
  /** Kind of the task. */
  kind: TaskKind;
  /** Model id. */
  model: string;
  /** The prompt; for speech, the text to synthesize. */
  prompt: string;
  /** The request body as sent. */
  body: Record<string, unknown>;
  /** Sequence number of the new task, starting at 1. Replays are not counted. */
  number: number;
}

/** How tasks behave. A function receives the new task and returns its value. */
export interface TaskOptions {
  /** Time from submission to the end of the task, in clock milliseconds. @defaultValue 6000 */
  durationMs?: number | ((task: TaskSubmit) => number) | undefined;
  /** Whether the task succeeds. @defaultValue 'succeeded' */
  outcome?: TaskOutcome | ((task: TaskSubmit) => TaskOutcome) | undefined;
  /** Lifetime of a result URL in clock milliseconds; later polls return a new URL. @defaultValue 24 hours */
  resultTtlMs?: number | undefined;
}

/** How materials behave. */
export interface MaterialOptions {
  /** Time in status `creating` before `processing`, in clock milliseconds. @defaultValue 0 */
  creatingMs?: number | undefined;
  /** Time in status `processing`, in clock milliseconds. @defaultValue 4000 */
  durationMs?: number | undefined;
  /** The result of processing, or a function of the source URL. @defaultValue 'available' */
  outcome?: MaterialOutcome | ((url: string) => MaterialOutcome) | undefined;
  /** Time in status `delete_pending` before `deleted`, in clock milliseconds. @defaultValue 0 */
  deleteMs?: number | undefined;
}

/** The result of processing a material. */
export type MaterialOutcome = 'available' | 'failed';

/** Options of {@link createMockGateway}. */
export interface MockGatewayOptions {
  /** Real time, or virtual time that only `mock.clock` advances. @defaultValue 'system' */
  clock?: 'system' | 'virtual' | undefined;
  /** The API keys; the first one is `mock.apiKey`. @defaultValue one key of the user 'demo' */
  keys?: MockKey[] | undefined;
  /** The initial balance of every user. @defaultValue 1000 USD */
  wallet?: { usd: number } | undefined;
  /** Maximum number of chat and generation requests in flight per user. @defaultValue 8 */
  concurrencyLimit?: number | undefined;
  /** How tasks behave. */
  tasks?: TaskOptions | undefined;
  /** Alternative behavior where the specification has gaps. */
  assumptions?: Partial<MockAssumptions> | undefined;
  /** The same seed produces the same ids, texts and images. @defaultValue 1 */
  seed?: string | number | undefined;
  /**
   * The format of images whose request names none. `svg` serves every image as SVG, with its prompt as text.
   *
   * @defaultValue 'png'
   */
  imageFormat?: 'png' | 'svg' | undefined;
  /** The models of the gateway; they replace the default catalog. */
  models?: Model[] | undefined;
  /** Delay before every response, in clock milliseconds. @defaultValue 0 */
  latencyMs?: number | undefined;
  /** Delay between two events of a chat stream, in clock milliseconds. @defaultValue 0 */
  chunkDelayMs?: number | undefined;
  /** How materials behave. */
  materials?: MaterialOptions | undefined;
  /** Maximum size of a request body in bytes; larger bodies get a 413. @defaultValue 10 MiB */
  maxBodyBytes?: number | undefined;
  /**
   * Maximum number to keep of each: requests, invoice lines, ended tasks, and idempotency keys per user.
   *
   * @defaultValue unlimited
   */
  history?: number | undefined;
  /**
   * Called when the headers of a response are sent, or when the response is lost. The `polygate-mock` command uses it
   * for its log.
   */
  onResponse?: ((exchange: ExchangeSummary) => void) | undefined;
  /**
   * The state of an earlier gateway, as `mock.snapshot()` returned it, possibly converted to JSON and back. Its balances
   * replace `wallet`.
   */
  snapshot?: object | undefined;
  /**
   * Called after the state that `mock.snapshot()` returns has changed: for requests, before their responses are sent. The
   * `polygate-mock` command uses it to save its state.
   */
  onChange?: (() => void) | undefined;
}

/** The options with their defaults applied. */
export type Settings = ReturnType<typeof withDefaults>;

/** Applies the defaults. Throws a `ConfigurationError` if the options, or the objects in them, have an unknown name. */
export function resolveOptions(options: MockGatewayOptions): Settings {
  const { keys = [], tasks, materials, wallet, assumptions } = options;
  checkNames(options, defaults);
  for (const [index, key] of keys.entries()) checkNames(key, keyNames, `keys[${index}].`);
  checkNames(tasks, defaults.tasks, 'tasks.');
  checkNames(materials, defaults.materials, 'materials.');
  checkNames(wallet, defaults.wallet, 'wallet.');
  checkNames(assumptions, defaults.assumptions, 'assumptions.');
  return withDefaults(options);
}

const keyNames: OptionNames<MockKey> = {
  key: true,
  user: true,
  state: true,
  concurrencyLimit: true,
};

const day = 24 * 60 * 60 * 1000;

/** The default of every option. Its names are those of all options. */
const defaults = withDefaults({});

function withDefaults(options: MockGatewayOptions) {
  const { tasks, materials } = options;
  return {
    clock: options.clock ?? 'system',
    keys: options.keys ?? [],
    wallet: { usd: options.wallet?.usd ?? 1000 },
    concurrencyLimit: options.concurrencyLimit,
    tasks: {
      durationMs: tasks?.durationMs ?? 6000,
      outcome: tasks?.outcome ?? 'succeeded',
      resultTtlMs: tasks?.resultTtlMs ?? day,
    } satisfies Record<keyof TaskOptions, unknown>,
    assumptions: { ...z.parse(mockAssumptions, {}), ...options.assumptions },
    seed: String(options.seed ?? 1),
    imageFormat: options.imageFormat ?? 'png',
    models: options.models,
    latencyMs: options.latencyMs ?? 0,
    chunkDelayMs: options.chunkDelayMs ?? 0,
    materials: {
      creatingMs: materials?.creatingMs ?? 0,
      durationMs: materials?.durationMs ?? 4000,
      outcome: materials?.outcome ?? 'available',
      deleteMs: materials?.deleteMs ?? 0,
    } satisfies Record<keyof MaterialOptions, unknown>,
    maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024,
    history: options.history ?? Infinity,
    onResponse: options.onResponse ?? (() => {}),
    snapshot: options.snapshot,
    onChange: options.onChange ?? (() => {}),
  } satisfies Record<keyof MockGatewayOptions, unknown>;
}
