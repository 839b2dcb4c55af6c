import * as z from 'zod/mini';

import type { Model } from '../wire/types/catalog/models.ts';
import type { TaskKind } from '../wire/types/tasks/task.ts';
import { mockAssumptions } from './assumptions.ts';
import type { MockAssumptions } from './assumptions.ts';
import type { ExchangeSummary, KeyState } from './gateway.ts';
import { checkNames } from './option-names.ts';
import type { OptionNames } from './option-names.ts';

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

const defaultAssumptions: MockAssumptions = z.parse(mockAssumptions, {});
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
    assumptions: { ...defaultAssumptions, ...options.assumptions },
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
