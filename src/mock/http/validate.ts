import type * as z from 'zod/mini';

import { isRecord } from '../../wire/types/type-guards.ts';
import type { ReceivedBody } from './incoming.ts';
import { GatewayError, invalidParameter } from './response.ts';
import type { ToError } from './response.ts';

/** Returns a function that returns a number within bounds, or throws an error that names the field. */
const between =
  (kind: 'an integer' | 'a number') =>
  (value: number | undefined, field: string, min: number, max: number): number | undefined => {
    if (value === undefined) return undefined;
    const isOfKind = kind === 'a number' || Number.isInteger(value);
    if (isOfKind && value >= min && value <= max) return value;
    throw invalidParameter(`\`${field}\` must be ${kind} from ${min} to ${max}`);
  };

export const integerBetween = between('an integer');
export const numberBetween = between('a number');

/** Returns a non-empty string, or throws an error that names the field. */
export function requiredText(value: string | undefined, field: string): string {
  if (value !== undefined && value !== '') return value;
  throw invalidParameter(`\`${field}\` is required`);
}

/**
 * Rejects anything but an HTTP(S) or data URL. Material URIs have their own error code: only
 * video models accept them.
 */
export function checkSourceUrl(url: string, field: string): void {
  if (/^asset:\/\//i.test(url)) {
    const message = `\`${field}\` is a material URI, which this model does not accept`;
    throw new GatewayError(400, 'material_channel_unavailable', message);
  }
  if (URL.canParse(url) && /^(https?:\/\/|data:)/i.test(url)) return;
  throw invalidParameter(`\`${field}\` must be an HTTP(S) or data URL`);
}

/** The parts of a validation issue that this file reads. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  /** The issues of each member of a union. */
  readonly errors?: readonly (readonly Issue[])[];
}

/** Validates and returns the body, or throws an error that names the first invalid field. */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  toError: ToError = invalidParameter,
): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw toError(describeIssue(result.error.issues, body));
}

/** Describes the first issue in a sentence that names the field. */
export function describeIssue(issues: readonly Issue[], body: unknown): string {
  const [issue] = issues;
  if (issue === undefined) return 'The body does not match the documented schema';
  if (issue.path.length === 0) return 'The body must be a JSON object';
  const field = pathText(issue.path);
  if (valueAt(body, issue.path) === undefined) return `\`${field}\` is required`;
  const choices = allowed(issue);
  return choices.length === 0
    ? `\`${field}\` has a value of the wrong type`
    : `\`${field}\` must be ${choices.join(' or ')}`;
}

/** What a field must be, by what a schema expects. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** What the field must be: each of several alternatives. Empty if that is not known. */
function allowed({ code, values, expected, errors }: Issue): string[] {
  if (errors !== undefined) {
    return errors.flatMap(([first]) => (first === undefined ? [] : allowed(first)));
  }
  if (code === 'too_big' || code === 'too_small') return ['an integer within ±2^53'];
  if (values !== undefined) return values.map((value) => JSON.stringify(value));
  const kind = kinds[String(expected)];
  return kind === undefined ? [] : [kind];
}

/** Formats a path, such as `messages[0].role`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part];
    else if (isRecord(value) && Object.hasOwn(value, part)) value = value[String(part)];
    else return undefined;
  }
  return value;
}

/** Rejects a body that is too large, too deeply nested or not JSON, before its fields are checked. */
export function requireJsonBody(
  body: ReceivedBody,
  headers: Headers,
  maxBytes: number,
  toError: ToError,
): void {
  if (body.tooLarge) {
    throw new GatewayError(413, 'request_too_large', `The body is larger than ${maxBytes} bytes`);
  }
  const type = headers.get('content-type');
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw toError(`The content type must be application/json, not ${type}`);
  }
  if (body.text === '') throw toError('The body is empty: it must be a JSON object');
  if (!body.isUtf8) throw toError('The body is not valid UTF-8');
  if (!body.isJson) throw toError('The body is not valid JSON');
  const problem = shapeProblem(body.value);
  if (problem !== undefined) throw toError(problem);
}

/** Maximum nesting depth of a field's value. */
const maxDepth = 100;

/** Maximum number of values in a field, including nested values. */
const maxValues = 100_000;

/**
 * Checks the size of a body's fields and returns the first problem. JSON can be nested deeper than
 * the call stack allows, and a short body can contain millions of values.
 */
function shapeProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const problem = problemOf(value);
    if (problem !== undefined) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

function problemOf(value: unknown): string | undefined {
  let level = [value];
  let count = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`;
    if (count > maxValues) return `contains more than ${maxValues} values`;
    level = level.flatMap(childrenOf);
    count += level.length;
  }
  return undefined;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
