import type { PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import type { WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { Span } from '../config/caller.ts';
import {
  noHeaderChanges,
  parseHeaderChanges,
  checkOptions,
  checkValue,
  durationMs,
  functionValue,
  headerText,
  idempotencyKeyRule,
  nonNegativeInteger,
  plainObject,
  signalRule,
} from '../config/validation.ts';
import type { HeaderChanges, Rule, Rules } from '../config/validation.ts';
import { newIdempotencyKey } from '../http/request-headers.ts';

/** Options of one call: the last argument of every method. An unknown name is rejected with `ConfigurationError`. */
export interface RequestOptions {
  /** Aborts the call immediately with an `AbortedError` whose `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt in ms; see the client's `timeout`. */
  timeout?: number | undefined;
  /**
   * Time limit for the whole call in ms, over all attempts; see the client's `totalTimeout`. With `generate` and
   * `register`, it limits only the request that creates the task or material, and `waitTimeout` limits the wait.
   */
  totalTimeout?: number | undefined;
  /** Maximum number of retries after the first attempt; see the client's `maxRetries`. */
  maxRetries?: number | undefined;
  /**
   * Headers for this request, and for the polls of a task or material that it creates. `null` removes a default or
   * client header, but never `authorization`.
   */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /** Your own id for this request, and for the polls of a task or material that it creates. */
  requestId?: string | undefined;
  /**
   * The idempotency key: 1 to 200 visible ASCII characters. If omitted, one is generated for
   * task submission, material creation, and voice cloning and design.
   */
  idempotencyKey?: string | undefined;
  /**
   * Fields for the JSON body that the params have no types for, such as the options of one model. They are merged into
   * the params last, at the top level, and replace a param of the same name.
   *
   * To give such fields types, augment the interface of the params instead:
   * `declare module 'polygate' { interface ImageParams { style_strength?: number } }`.
   *
   * @example
   * ```ts
   * await gateway.images.generate({ model, prompt }, { extraBody: { style_strength: 0.4 } });
   * ```
   */
  extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Only chat, and tasks: ids of the models to try, in this order, if the model of the params fails and was certainly not
   * charged: it is over capacity (429 or 503, after the usual retries), unavailable (403 or 404), or could not be reached.
   * Never after an unknown outcome, or after the first byte of a stream. All models of a task share its idempotency key.
   * @defaultValue no other model
   */
  fallback?: readonly string[] | undefined;
  /**
   * Only with `fallback`: whether the next model may be tried after `error` of `model`. Called only where that is safe. If
   * it returns anything but true, or throws, the call fails with the error.
   * @defaultValue always
   */
  fallbackOn?: ((error: PolygateError, model: string) => boolean) | undefined;
}

/** The options of a call that its polls share, validated. */
export interface PollHeaders {
  readonly headers: HeaderChanges;
  readonly requestId?: string | undefined;
}

/** The validated options of one call. */
export interface CheckedOptions
  extends PollHeaders, Omit<RequestOptions, 'headers' | 'requestId' | 'extraBody'> {
  /** The span of the operation that the call is part of. */
  parent?: Span | undefined;
  /** When `totalTimeout` ends, in monotonic ms, if it began before this request. */
  deadline?: number | undefined;
}

/** The rules of these options. The names and values of headers are checked as they are parsed. */
export const pollHeaderRules = {
  headers: plainObject,
  requestId: headerText,
} satisfies Rules;

export const noOptions: CheckedOptions = { headers: noHeaderChanges };

const withoutModel: Rule = [
  () => false,
  'omitted: only calls of chats and tasks have other models',
];

const modelIds: Rule = [
  (value) => Array.isArray(value) && value.every((id) => typeof id === 'string' && /\S/.test(id)),
  'an array of non-empty model ids',
];

/** The rules of the options of calls that name a model. */
export const fallbackRules = {
  fallback: modelIds,
  fallbackOn: functionValue,
} satisfies Rules;

const requestOptionRules: { readonly [Option in keyof Required<RequestOptions>]: Rule } = {
  ...pollHeaderRules,
  signal: signalRule,
  timeout: durationMs,
  totalTimeout: durationMs,
  maxRetries: nonNegativeInteger,
  idempotencyKey: idempotencyKeyRule,
  extraBody: plainObject,
  fallback: withoutModel,
  fallbackOn: withoutModel,
};

/** The options of a call that waits for what it submits, in addition to those of the request. */
const waitOptionNames: Readonly<Record<WaitOptionName, true>> = {
  pollInterval: true,
  maxPollInterval: true,
  waitTimeout: true,
  onUpdate: true,
  onSubmit: true,
};

type WaitOptionName = Exclude<keyof WaitOptions<never>, keyof RequestOptions> | 'onSubmit';

/** The name of an option of a method that creates or generates something. */
export type OptionName = keyof RequestOptions | WaitOptionName;

/**
 * The first of these names that is set among the params; undefined if there is none. An idempotency key in the body
 * protects from nothing.
 */
export function optionAmong(params: object, ...others: readonly object[]): string | undefined {
  const tables = [requestOptionRules, waitOptionNames, ...others];
  return Object.entries(params).find(
    ([name, value]) => value !== undefined && tables.some((names) => Object.hasOwn(names, name)),
  )?.[0];
}

/** The rules for a request without a body. */
export const noBodyRules: Rules = {
  extraBody: [() => false, 'omitted, because the body is not an object'],
};

/**
 * Validates the options of one call. `extraRules` are the rules of options that only some methods accept, and rules that
 * replace a common one.
 *
 * @throws {@link ConfigurationError} when an option is unknown or invalid.
 */
export function checkRequestOptions(
  options?: RequestOptions,
  ...extraRules: readonly Rules[]
): CheckedOptions {
  if (options === undefined) return noOptions;
  checkOptions(options, ...extraRules, requestOptionRules);
  return { ...options, headers: parseHeaderChanges(options.headers) };
}

/** The options with an idempotency key: the caller's, or a new random one. */
export function withIdempotencyKey(options: RequestOptions = {}) {
  checkValue('options', options, plainObject);
  // A key is generated only if none was passed. An invalid key, such as null, is rejected later.
  const { idempotencyKey = newIdempotencyKey() } = options;
  return { ...options, idempotencyKey };
}

/** A copy of the options of a submission, because the caller may reuse the object for the next one. */
export function copyOptions(options: RequestOptions = {}): RequestOptions {
  const { headers, fallback } = options;
  return {
    ...options,
    headers: headers && { ...headers },
    fallback: isList(fallback) ? fallback.slice() : fallback,
  };
}

/** Anything but a list is rejected later. */
const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

/** The rule of the options that a submission has already used. */
export const fixed: Rule = [() => false, 'passed to submission()'];

export const fixedRules: Rules = { extraBody: fixed, fallback: fixed, fallbackOn: fixed };

/** The other models of a call. */
export interface Fallback {
  /** The model of the params, then the others, in the order in which they are tried. */
  readonly models: readonly [string, ...string[]];
  readonly isAllowed: RequestOptions['fallbackOn'];
}

/**
 * The fallback of a call to `model`; undefined if it has none. Later changes to the options have no effect.
 *
 * @throws {@link ConfigurationError} if a model is listed twice.
 */
export function fallbackOf(
  model: string,
  { fallback = [], fallbackOn }: Pick<RequestOptions, 'fallback' | 'fallbackOn'> = {},
): Fallback | undefined {
  if (fallback.length === 0) return undefined;
  const models = [model, ...fallback] as const;
  if (new Set(models).size < models.length) {
    throw new ConfigurationError(
      'fallback: must not contain a model twice, or the model of the params.',
    );
  }
  return { models, isAllowed: fallbackOn };
}

/** What identifies a submission across processes. */
export interface SubmissionDetails {
  readonly path: string;
  /** The params as JSON. */
  readonly body: string;
  /** The other models that may be used. */
  readonly fallback: readonly string[];
  /** The key that the caller chose, if any. */
  readonly idempotencyKey: string | undefined;
  /** The caller's signal for this submission only. */
  readonly signal: AbortSignal | undefined;
}

/** Checks the options of a submission to `model`, and returns those that are in its details. */
export function submissionOptions(model: string, options: RequestOptions, extraRules: Rules = {}) {
  const checked = checkRequestOptions(options, fallbackRules, extraRules);
  fallbackOf(model, checked);
  const { idempotencyKey, signal, fallback = [] } = checked;
  return { idempotencyKey, signal, fallback };
}
