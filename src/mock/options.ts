import type { Model } from '../schemas/models.ts';
import type { TaskKind } from '../schemas/task.ts';
import type { MockAssumptions } from './assumptions.ts';
import type { ExchangeSummary } from './records.ts';

/** An API key that the gateway knows. */
export interface MockKey {
  /** The key as it is sent. */
  key: string;
  /**
   * Who owns it. Wallet, slots, tasks, materials and voices belong to the owner, not to the key.
   */
  user?: string | number | undefined;
  /** @defaultValue 'enabled' */
  state?: KeyState | undefined;
  /** A limit for this key alone; answers then name `api_key_override` as its source. */
  concurrencyLimit?: number | undefined;
}

/** A disabled key is refused with 403. */
export type KeyState = 'enabled' | 'disabled';

/** How a task ends. */
export type TaskOutcome = 'succeeded' | 'failed';

/** What is known about a task when it is submitted. */
export interface TaskSubmit {
  kind: TaskKind;
  model: string;
  /** The prompt, or the text to speak. */
  prompt: string;
  /** The whole body as sent. */
  body: Record<string, unknown>;
  /** Which submit of this gateway it is, from 1. */
  number: number;
}

/** How tasks go. Each may be a rule that looks at the submit. */
export interface TaskOptions {
  /** From the submit to the end, clock milliseconds. @defaultValue 6000 */
  durationMs?: number | ((submit: TaskSubmit) => number) | undefined;
  /** @defaultValue 'succeeded' */
  outcome?: TaskOutcome | ((submit: TaskSubmit) => TaskOutcome) | undefined;
  /** How long a result's URL works; a poll after that gives a fresh one. @defaultValue 24 hours */
  resultTtlMs?: number | undefined;
}

/** How materials go. */
export interface MaterialOptions {
  /**
   * How long a material is `creating` before it is `processing`, clock milliseconds. @defaultValue 0,
   * never
   */
  creatingMs?: number | undefined;
  /** How long the processing takes, clock milliseconds. @defaultValue 4000 */
  durationMs?: number | undefined;
  /** How the processing ends. @defaultValue 'available' */
  outcome?: MaterialOutcome | ((url: string) => MaterialOutcome) | undefined;
  /**
   * How long a deletion stays `delete_pending`, clock milliseconds. @defaultValue 0, deleted at
   * once
   */
  deleteMs?: number | undefined;
}

/** How the processing of a material ends. */
export type MaterialOutcome = 'available' | 'failed';

/** Options of {@link createMockGateway}. */
export interface MockGatewayOptions {
  /** Real time, or time that moves only by `mock.clock.advance`. @defaultValue 'system' */
  clock?: 'system' | 'virtual' | undefined;
  /** The keys; the first is `mock.apiKey`. */
  keys?: MockKey[] | undefined;
  /** What every user's wallet holds at the start. @defaultValue 1000 USD */
  wallet?: { usd: number } | undefined;
  /** Chat and generation requests that one user may have in flight. @defaultValue 8 */
  concurrencyLimit?: number | undefined;
  /** How tasks go. */
  tasks?: TaskOptions | undefined;
  /** Other answers to the gaps of the specification. */
  assumptions?: Partial<MockAssumptions> | undefined;
  /** Same seed, same ids, texts and pictures. @defaultValue 1 */
  seed?: string | number | undefined;
  /** A catalogue in place of the default one. */
  models?: Model[] | undefined;
  /** Every answer comes this much later, by the clock. @defaultValue 0 */
  latencyMs?: number | undefined;
  /** Time between two events of a chat stream, by the clock. @defaultValue 0 */
  chunkDelayMs?: number | undefined;
  /** How materials go. */
  materials?: MaterialOptions | undefined;
  /** The longest body that is read, bytes. @defaultValue 10 MiB */
  maxBodyBytes?: number | undefined;
  /** How many requests and invoice lines are kept. @defaultValue all */
  history?: number | undefined;
  /** Called after each answer's headers; the command line prints its log with it. */
  onResponse?: ((answered: ExchangeSummary) => void) | undefined;
}

/** The options with every default filled in. */
export interface Settings {
  tasks: Required<{ [Key in keyof TaskOptions]: NonNullable<TaskOptions[Key]> }>;
  walletUsd: number;
  latencyMs: number;
  chunkDelayMs: number;
  materials: Required<{ [Key in keyof MaterialOptions]: NonNullable<MaterialOptions[Key]> }>;
  maxBodyBytes: number;
  history: number;
  seed: string;
  onResponse: (answered: ExchangeSummary) => void;
}

const day = 24 * 60 * 60 * 1000;

/** Fills in the defaults. */
export function resolveOptions(options: MockGatewayOptions): Settings {
  return {
    tasks: {
      durationMs: options.tasks?.durationMs ?? 6000,
      outcome: options.tasks?.outcome ?? 'succeeded',
      resultTtlMs: options.tasks?.resultTtlMs ?? day,
    },
    walletUsd: options.wallet?.usd ?? 1000,
    latencyMs: options.latencyMs ?? 0,
    chunkDelayMs: options.chunkDelayMs ?? 0,
    materials: {
      creatingMs: options.materials?.creatingMs ?? 0,
      durationMs: options.materials?.durationMs ?? 4000,
      outcome: options.materials?.outcome ?? 'available',
      deleteMs: options.materials?.deleteMs ?? 0,
    },
    maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024,
    history: options.history ?? Infinity,
    seed: String(options.seed ?? 1),
    onResponse: options.onResponse ?? (() => {}),
  };
}
