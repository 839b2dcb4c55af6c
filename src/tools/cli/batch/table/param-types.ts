import * as z from 'zod/mini';

import { isRecord } from '../../../../wire/types/type-guards.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { BatchKind } from './kind.ts';

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
