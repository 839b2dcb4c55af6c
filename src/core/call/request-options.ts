import { parseHeaderChanges } from '../config/header-changes.ts';
import type { HeaderChanges } from '../config/header-changes.ts';
import {
  checkValue,
  durationMs,
  headerText,
  idempotencyKeyRule,
  nonNegativeInteger,
  objectWithMethods,
} from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';

/** Options of one call: the last argument of every method. */
export interface RequestOptions {
  /** Aborts the call immediately with an `AbortedError` whose `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt in ms; see the client's `timeout`. */
  timeout?: number | undefined;
  /** Maximum number of retries after the first attempt; see the client's `maxRetries`. */
  maxRetries?: number | undefined;
  /** Headers for this request. `null` removes a default or client header, but never `authorization`. */
  headers?: Readonly<Record<string, string | null | undefined>> | undefined;
  /** Your own id for this request. */
  requestId?: string | undefined;
  /**
   * The idempotency key: 1 to 200 visible ASCII characters. If omitted, one is generated for
   * task submission, material creation, and voice cloning and design.
   */
  idempotencyKey?: string | undefined;
}

/** The validated options of one call. */
export interface CheckedOptions extends Omit<RequestOptions, 'headers'> {
  headers: HeaderChanges;
}

const optionRules = {
  signal: [objectWithMethods('addEventListener')[0], 'an AbortSignal'],
  timeout: durationMs,
  maxRetries: nonNegativeInteger,
  requestId: headerText,
  idempotencyKey: idempotencyKeyRule,
} satisfies Record<string, Rule>;

/**
 * Validates the options of one call. Ignores other fields, which the resource checks.
 *
 * @throws {@link ConfigurationError} when an option is invalid.
 */
export function checkRequestOptions(options: RequestOptions = {}): CheckedOptions {
  for (const [name, rule] of Object.entries(optionRules)) {
    checkValue(name, Reflect.get(options, name), rule);
  }
  return { ...options, headers: parseHeaderChanges(options.headers) };
}
