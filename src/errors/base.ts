import type { ToolRunProgress } from '../schemas/chat-run.ts';
import { omitUndefined } from '../schemas/schema.ts';
import type { TaskHandle } from '../schemas/task-handle.ts';

const brand = Symbol.for('polygate.error');

/**
 * Whether money may have been spent: `rejected` (the service answered no), `not-sent` (it never saw the request) or
 * `unknown` (ask again with the same idempotency key before paying anew).
 */
export type Outcome = 'rejected' | 'not-sent' | 'unknown';

/** What any error may carry beside its message. */
export interface ErrorDetails {
  /** What caused it. Never an error that holds the request, whose headers hold the key. */
  cause?: unknown;
  /** Whether money may have been spent. */
  outcome?: Outcome | undefined;
  /** The key of the call; the same key never pays twice for a task or a material. */
  idempotencyKey?: string | undefined;
  /** The task that was already submitted and paid. */
  task?: TaskHandle | undefined;
  /** Whatever else a class declares. */
  [field: string]: unknown;
}

/** The root of every error that polygate throws. */
export class PolygateError extends Error {
  /** The name of the class, kept through minification. */
  static readonly className: string = 'PolygateError';

  /** Whether money may have been spent, on errors of requests. */
  declare readonly outcome?: Outcome;
  /** The idempotency key of the call: ask again with it and nothing is paid twice. */
  declare readonly idempotencyKey?: string;
  /** The paid task, on every error after a submit: nothing is lost, wait for it again. */
  declare readonly task?: TaskHandle;
  /** What `chat.completions.run()` had done and paid when it failed: its messages, rounds and charges. */
  declare readonly run?: ToolRunProgress;

  /** Every detail that is known becomes a field of the error; each class declares its own. */
  constructor(message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, omitUndefined({ cause }));
    this.name = new.target.className;
    Object.assign(this, omitUndefined(details));
  }

  /** Marks errors of every copy of polygate, across duplicate installs and realms. */
  get [brand](): true {
    return true;
  }

  /**
   * Whether a value is an error of this class, also when another copy of polygate or another realm made it:
   * `RateLimitError.is(error)`.
   */
  static is<Instance extends PolygateError>(
    this: { readonly prototype: Instance; readonly className: string },
    value: unknown,
  ): value is Instance {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    for (
      let at: unknown = value.constructor;
      typeof at === 'function';
      at = Object.getPrototypeOf(at)
    ) {
      if (Reflect.get(at, 'className') === this.className) return true;
    }
    return false;
  }
}
