import * as z from 'zod/mini';

import { chatBody } from '../../../schemas/chat/params.ts';
import { musicBody, speechBody } from '../../../schemas/media/audio.ts';
import { imageBody } from '../../../schemas/media/images.ts';
import { videoBody } from '../../../schemas/media/videos.ts';
import { isRecord } from '../../../types/type-guards.ts';
import type { BatchKind } from './kind.ts';

/** The JSON type of a param. */
export type ParamType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

const schemas = {
  image: imageBody,
  video: videoBody,
  music: musicBody,
  speech: speechBody,
  chat: chatBody,
} as const;

/** Params that have columns or options of their own. */
const reserved = new Set([
  'model',
  'prompt',
  'text',
  'input',
  'messages',
  'stream',
  'stream_options',
]);

/** Params of chats that the service does not document, but OpenAI-compatible APIs have. */
const chatTypes: Readonly<Record<string, ParamType>> = {
  max_completion_tokens: 'integer',
  max_tokens: 'integer',
  temperature: 'number',
  top_p: 'number',
  seed: 'integer',
  stop: 'string',
  presence_penalty: 'number',
  frequency_penalty: 'number',
  logit_bias: 'object',
  response_format: 'object',
  reasoning_effort: 'string',
  verbosity: 'string',
  metadata: 'object',
  user: 'string',
};

/** The params of a kind that can be columns, with their types. */
export function paramTypes(kind: BatchKind): ReadonlyMap<string, ParamType> {
  const { properties } = z.toJSONSchema(schemas[kind], { unrepresentable: 'any', io: 'input' });
  const types = new Map<string, ParamType>(kind === 'chat' ? Object.entries(chatTypes) : []);
  for (const [name, schema] of Object.entries(properties ?? {})) {
    const type = typeOf(schema);
    if (!reserved.has(name) && type !== undefined) types.set(name, type);
  }
  return types;
}

/** The type of a schema; that of its first alternative that is not null. */
function typeOf(schema: unknown): ParamType | undefined {
  if (!isRecord(schema)) return undefined;
  const known = paramTypeNames.find((name) => name === schema.type);
  if (known !== undefined) return known;
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return alternatives.map(typeOf).find((type) => type !== undefined);
}

const paramTypeNames = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
