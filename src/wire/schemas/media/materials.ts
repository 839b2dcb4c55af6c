import type { Material } from 'polygate';
import * as z from 'zod/mini';

import type { MaterialType } from '../../types/media/materials.ts';
import * as docs from '../docs/media.ts';
import { openString, recordSchema } from '../record-schema.ts';

/** A material of the library. Unknown fields are kept. */
export const materialRecord: z.ZodMiniType<Material, Material> = recordSchema(docs.material, {
  id: z.string(),
  object: z.literal('material'),
  name: z.string(),
  type: openString<MaterialType>(),
  status: openString<'creating'>(),
  uri: z.nullable(z.templateLiteral(['asset://', z.string()])),
  preview_url: z.nullable(z.string()),
  verification_url: z.optional(z.string()),
  verification_expires_at: z.optional(z.string()),
  created_at: z.nullable(z.string()),
  available_at: z.nullable(z.string()),
  expires_at: z.nullable(z.string()),
});

export const materialPageRecord = recordSchema(docs.materialPageRecord, {
  object: z.literal('material.list'),
  data: z.array(materialRecord),
  has_more: z.boolean(),
  next_cursor: z.nullish(z.string()),
});
