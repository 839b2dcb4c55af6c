import type { ErrorReason } from '../paid/reason.ts';
import type { Outcome, Verdict } from '../paid/verdict.ts';
import type { ToolRunProgress } from '../wire/types/chat/output.ts';
import { omitUndefined } from '../wire/types/schema.ts';
import type { TaskHandle } from '../wire/types/tasks/task-handle.ts';
import { isRecord, textOf } from '../wire/types/type-guards.ts';

export type { ErrorReason, Outcome };

const brand = Symbol.for('polygate.error');

/** The method that Node, Bun and Deno call to print an object. */
const inspect = Symbol.for('nodejs.util.inspect.custom');

/** Details that may be long, or that rarely add anything to the message. */
const hiddenDetails = /^(body|text|type|param)$/;

/** What one model of a call with `fallback` has responded. */
export interface ModelAttempt {
  /** Id of the model. */
  readonly model: string;
  /** HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** Error code of the service. */
  readonly code?: string | undefined;
  /** Message of the error. */
  readonly message: string;
  /** Whether the request to this model may have been charged. */
  readonly outcome: Outcome;
}

/** How a message writes what programs and the command line write differently. */
export interface Wording {
  readonly usd: (amount: number) => string;
  /** An amount and the one that it is a part of. */
  readonly amounts: (usd: number, whole: number) => string;
  /** An option of a batch. */
  readonly option: (name: 'maxUsd' | 'resendUnknown') => string;
  /** The limit of a batch. */
  readonly limit: string;
  /** How a batch continues. */
  readonly again: string;
}

/** A part of a message, or how to write it: by default, for programs. */
export type MessagePart = string | ((wording?: Wording) => string);

/** What the message of an error says, so that a text for other readers can be made of it. The message has it in this order. */
export interface MessageParts {
  /** What it is about: an option or a row. A colon follows. */
  readonly subject?: string | undefined;
  /** What happened. */
  readonly summary: MessagePart;
  /** Whether money may have been spent, or may be spent again. */
  readonly charge?: MessagePart | undefined;
  /** What to do next. */
  readonly advice?: MessagePart | undefined;
  /** What only a program can do next. */
  readonly programAdvice?: string | undefined;
  /** The request: method and path template, and the id of the request if it is known. */
  readonly request?: string | undefined;
}

/** Details that any error can carry in addition to its message. */
export interface ErrorDetails {
  /** The underlying cause. Never an error that references the request, because its headers contain the API key. */
  cause?: unknown;
  /** Whether the request may have been charged. */
  outcome?: Outcome | undefined;
  /** Why the call has failed. By default, that of most errors of the class. */
  reason?: ErrorReason | undefined;
  /** Idempotency key of the call. A retry with the same key never charges twice for the same task or material. */
  idempotencyKey?: string | undefined;
  /** The task that was already submitted and may have been charged. */
  task?: TaskHandle | undefined;
  /** Additional fields declared by the error class. */
  [field: string]: unknown;
}

/** Base class of all errors thrown by polygate. */
export class PolygateError extends Error {
  /** Class name that survives minification. */
  static readonly className: string = 'PolygateError';

  /** The `reason` of an error of this class that names no other. */
  static readonly reason: ErrorReason | undefined;

  /**
   * Address of a site with these guides, such as `https://docs.example`. If it is set, what `console.log` prints of an
   * error ends with the address of the section about its class.
   */
  static docsURL: string | undefined;

  /** Why the call has failed. Only errors of earlier versions have none. */
  declare readonly reason?: ErrorReason;
  /** Whether the request may have been charged. Set on errors of requests. */
  declare readonly outcome?: Outcome;
  /**
   * Idempotency key of the call. A retry with the same key never charges twice for a task or a material. Chat requests
   * and voices may be charged again.
   */
  declare readonly idempotencyKey?: string;
  /**
   * The submitted task. Set on every error that occurs after a task was submitted. Unless the task has ended,
   * `task.wait()` waits for its result.
   */
  declare readonly task?: TaskHandle;
  /** Only of a call with `fallback`: what each model has responded, in order. The last one is this error. */
  declare readonly attempts?: readonly ModelAttempt[];
  /** Messages, rounds and charges of a failed `chat.completions.run()`, up to the failure. */
  declare readonly run?: ToolRunProgress;
  /** @internal What the message consists of, if it was composed: see message.ts. */
  declare readonly parts?: MessageParts;
  /** @internal What the last response says about money. `verdictOfError` adds what is known about earlier attempts. */
  declare readonly verdict?: Verdict;

  /**
   * Assigns each defined detail to the error. Subclasses declare the fields that they use. Objects and long texts are
   * not enumerable, so that an uncaught error stays short and loggers do not copy headers and response bodies.
   */
  constructor(
    message: string,
    { cause, reason = new.target.reason, ...details }: ErrorDetails = {},
  ) {
    super(message, omitUndefined({ cause }));
    this.name = new.target.className;
    for (const [name, value] of Object.entries(omitUndefined({ reason, ...details }))) {
      const enumerable = typeof value !== 'object' && !hiddenDetails.test(name);
      Object.defineProperty(this, name, { value, enumerable, configurable: true, writable: true });
    }
  }

  /** Identifies polygate errors across duplicate installs and realms. */
  get [brand](): true {
    return true;
  }

  /** Path of the section about this class in the guides, such as `/guides/errors.html#connectionerror`. */
  get docs(): string {
    // `gateway.fetch` gives an error another name than that of its class.
    const className = String(Reflect.get(this.constructor, 'className'));
    return `/guides/errors.html#${className.toLowerCase()}`;
  }

  /** What `console.log` prints: at most ten lines, without response headers. */
  [inspect](): string {
    return printError(this, PolygateError.docsURL);
  }

  /**
   * The error for a log, as plain JSON: name, message, all short fields, and the receipt of the task. Without response
   * headers and bodies.
   */
  toJSON(): { name: string; message: string } {
    const {
      name,
      message,
      type,
      param,
      task,
      attempts,
    }: PolygateError & { type?: unknown; param?: unknown } = this;
    const details = omitUndefined({ type, param, task: task?.toJSON(), attempts });
    return Object.assign({ name, message }, this, details);
  }

  /**
   * Checks whether a value is an error of this class: `RateLimitError.is(error)`. Unlike `instanceof`, it also works
   * for errors from another copy of polygate or another realm.
   */
  static is<Instance extends PolygateError>(
    this: { readonly prototype: Instance; readonly className: string },
    value: unknown,
  ): value is Instance {
    if (!isRecord(value) || !(brand in value)) return false;
    for (
      let constructor: unknown = value.constructor;
      typeof constructor === 'function';
      constructor = Object.getPrototypeOf(constructor)
    ) {
      if (Reflect.get(constructor, 'className') === this.className) return true;
    }
    return false;
  }
}

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print the stack
 * traces of all causes, and one line per field. `docsURL` is the address of a site with the guides, if there is one.
 */
function printError(error: PolygateError, docsURL?: string): string {
  const { cause, stack } = error;
  const { name, message, ...fields } = error.toJSON();
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : String(error)).split('\n', 7);
  const details = JSON.stringify(fields);
  if (details !== '{}') lines.push(`  ${details}`);
  if (cause instanceof Error) {
    // The error of a hook comes from the caller's code, so its location helps. Its message is already part of ours.
    const location = name === 'HookError' && /\n +(at .*)/.exec(cause.stack ?? '');
    if (location) lines.push(`  [cause]: ${cause.name} ${location[1]}`);
    else if (!lines.some((line) => line.includes(cause.message))) {
      lines.push(`  [cause]: ${String(cause)}`);
    }
  } else if (cause !== undefined) {
    lines.push(`  [cause]: ${textOf(cause) ?? '…'}`);
  }
  if (docsURL !== undefined) lines.push(`  ${docsURL}${error.docs}`);
  return lines.join('\n');
}

/**
 * Invalid option, argument or environment: a missing API key, a malformed id, an unknown option. Thrown before anything
 * is sent.
 */
export class ConfigurationError extends PolygateError {
  static override readonly className: string = 'ConfigurationError';
  static override readonly reason: ErrorReason = 'invalid';
}
