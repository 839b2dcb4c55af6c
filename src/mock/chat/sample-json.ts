import { isRecord } from '../../schemas/record.ts';

/**
 * How deep a schema is followed: enough for real ones, an end for those that contain themselves.
 */
const deepest = 12;

/** What one value may hold, characters and values together: a short schema can ask for billions. */
const mostOfOne = 12_000;

/** What all values of an answer may hold together. */
const mostOfAll = 2_000_000;

/**
 * A value that fits a JSON schema, simply; texts are taken from `words`. So many times it will stand
 * in an answer, which bounds its size.
 */
export function sample(schema: unknown, words: string, times: number): unknown {
  const left = Math.min(mostOfOne, Math.floor(mostOfAll / times));
  return fill(schema, { root: schema, words, left }, 0);
}

interface Filling {
  readonly root: unknown;
  readonly words: string;
  /** What the value may still hold. */
  left: number;
}

function fill(schema: unknown, filling: Filling, depth: number): unknown {
  filling.left -= 1;
  if (!isRecord(schema) || depth > deepest || filling.left < 0) return null;
  const at = (inner: unknown): unknown => fill(inner, filling, depth + 1);
  if (typeof schema.$ref === 'string') return at(resolve(filling.root, schema.$ref));
  if ('const' in schema) return given(schema.const, filling);
  if ('default' in schema) return given(schema.default, filling);
  for (const choice of [schema.enum, schema.examples]) {
    if (Array.isArray(choice) && choice.length > 0) return given(choice[0], filling);
  }
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(choice) && choice.length > 0) return at(choice[0]);
  }
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map(at).filter(isRecord);
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
  }
  return byType(schema, filling, at);
}

/** A value that the schema itself holds, unless it is too long. */
function given(value: unknown, filling: Filling): unknown {
  const length = JSON.stringify(value)?.length ?? 0;
  if (length > filling.left) return null;
  filling.left -= length;
  return value;
}

function byType(
  schema: Record<string, unknown>,
  filling: Filling,
  at: (inner: unknown) => unknown,
): unknown {
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const { properties, items } = schema;
  switch (types[0]) {
    case 'string':
      return given(textFor(schema, filling.words), filling);
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const length = Math.min(Math.max(limit(schema.minItems, 1), 1), 100);
      return Array.from({ length }, () => at(items ?? {}));
    }
    default:
      if (!isRecord(properties)) return types[0] === 'object' ? {} : filling.words;
      return Object.fromEntries(entries(properties, filling, at));
  }
}

function entries(
  properties: Record<string, unknown>,
  filling: Filling,
  at: (inner: unknown) => unknown,
): [string, unknown][] {
  const made: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(properties)) {
    filling.left -= name.length;
    if (filling.left > 0) made.push([name, at(inner)]);
  }
  return made;
}

function textFor(schema: Record<string, unknown>, words: string): string {
  switch (schema.format) {
    case 'date-time':
      return '2026-05-01T00:00:00Z';
    case 'date':
      return '2026-05-01';
    case 'email':
      return 'someone@example.com';
    case 'uri':
      return 'https://example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000';
    default: {
      const shortest = limit(schema.minLength, 0);
      const longest = limit(schema.maxLength, Math.max(200, shortest));
      return words.padEnd(Math.min(shortest, 10_000), '.').slice(0, longest);
    }
  }
}

function numberFor(schema: Record<string, unknown>): number {
  const step = limit(schema.multipleOf, 1) || 1;
  const low = limit(schema.minimum, limit(schema.exclusiveMinimum, -Infinity) + step);
  const high = limit(schema.maximum, limit(schema.exclusiveMaximum, Infinity) - step);
  if (low <= 1 && high >= 1 && step === 1) return 1;
  const nearest = Number.isFinite(low) ? Math.ceil(low / step) * step : Math.min(high, step);
  return Number.isFinite(nearest) ? nearest : 1;
}

function limit(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Follows `#/definitions/name`. */
function resolve(root: unknown, reference: string): unknown {
  let value = root;
  for (const part of reference.split('/').slice(1)) {
    if (!isRecord(value)) return undefined;
    value = value[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}
