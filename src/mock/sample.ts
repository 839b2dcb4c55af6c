import { isRecord } from '../schemas/record.ts';

/**
 * How deep a schema is followed: enough for real ones, an end for those that contain themselves.
 */
const deepest = 12;

/** A value that fits a JSON schema, simply; texts are taken from `words`. */
export function sample(schema: unknown, words: string, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > deepest) return null;
  const at = (inner: unknown): unknown => sample(inner, words, root, depth + 1);
  if (typeof schema.$ref === 'string') return at(resolve(root, schema.$ref));
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  for (const choice of [schema.enum, schema.examples]) {
    if (Array.isArray(choice) && choice.length > 0) return choice[0];
  }
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(choice) && choice.length > 0) return at(choice[0]);
  }
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(at));
  return byType(schema, words, at);
}

function byType(
  schema: Record<string, unknown>,
  words: string,
  at: (inner: unknown) => unknown,
): unknown {
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const { properties, items } = schema;
  switch (types[0]) {
    case 'string':
      return textFor(schema, words);
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
      if (!isRecord(properties)) return types[0] === 'object' ? {} : words;
      return Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, at(inner)]),
      );
  }
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
