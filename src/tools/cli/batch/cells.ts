import * as z from 'zod/mini';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseJsonOr } from '../arguments.ts';
import { paramSchemas } from '../param-schemas.ts';
import type { BatchKind } from '../params.ts';

/** The value of a cell, or why it has none. */
type Converted = { readonly value: unknown } | { readonly problem: string };

/** Converts the text of a cell to the type of its param. */
export function convertCell(text: string, type: ParamType): Converted {
  const trimmed = text.trim();
  switch (type) {
    case 'string':
      return { value: text };
    case 'integer':
      return /^[+-]?\d{1,15}$/.test(trimmed)
        ? { value: Number(trimmed) }
        : { problem: `must be an integer, not ${quoted(text)}` };
    case 'number':
      return /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,3})?$/i.test(trimmed)
        ? { value: Number(trimmed) }
        : { problem: `must be a number such as 0.5, not ${quoted(text)}` };
    case 'boolean':
      return /^(true|false)$/i.test(trimmed)
        ? { value: trimmed.toLowerCase() === 'true' }
        : { problem: `must be true or false, not ${quoted(text)}` };
    case 'array': {
      // Lists are usually of URLs.
      const value = trimmed.startsWith('[') ? parseJsonOr(trimmed) : trimmed.split(/\s+/);
      return Array.isArray(value)
        ? { value }
        : { problem: `must be a JSON array, or texts separated by spaces, not ${quoted(text)}` };
    }
    case 'object': {
      const value = parseJsonOr(trimmed);
      return isRecord(value)
        ? { value }
        : { problem: `must be a JSON object, not ${quoted(text)}` };
    }
  }
}

/** Checks a JSON value. */
export function checkJson(value: unknown, type: ParamType): Converted {
  const isOfType =
    type === 'array'
      ? Array.isArray(value)
      : type === 'object'
        ? isRecord(value)
        : type === 'integer'
          ? Number.isInteger(value)
          : typeof value === type;
  const name = /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
  return isOfType
    ? { value }
    : { problem: `must be ${name}, not ${quoted(JSON.stringify(value))}` };
}

/** A text in a message, which must not be long. */
export function quoted(text: string): string {
  return `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
}

/** The JSON type of a param. */
export type ParamType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** Params that other columns or options set. */
const reserved = new Set([
  'model',
  'prompt',
  'text',
  'input',
  'messages',
  'stream',
  'stream_options',
]);

/** The params of a kind that can be columns, with their types. */
export function paramTypes(kind: BatchKind): ReadonlyMap<string, ParamType> {
  const { properties } = z.toJSONSchema(paramSchemas[kind], {
    unrepresentable: 'any',
    io: 'input',
  });
  const types = new Map<string, ParamType>();
  for (const [name, schema] of Object.entries(properties ?? {})) {
    const type = typeOf(schema);
    if (!reserved.has(name) && type !== undefined) types.set(name, type);
  }
  return types;
}

/** The type of a schema; that of its first alternative that is not null. */
function typeOf(schema: unknown): ParamType | undefined {
  if (!isRecord(schema)) return undefined;
  const given: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const known = paramTypeNames.find((name) => given.includes(name));
  if (known !== undefined) return known;
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  return alternatives.map(typeOf).find((type) => type !== undefined);
}

const paramTypeNames = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
