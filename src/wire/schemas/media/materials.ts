import type { Material, MaterialCreateParams } from 'polygate';
import * as z from 'zod/mini';

import { materialCreateParamsProblem } from '../../types/media/materials.ts';
import type { MaterialType, MaterialCreateFields } from '../../types/media/materials.ts';
import * as docs from '../docs/media.ts';
import { accepted, withProblem } from '../params.ts';
import { openString, recordSchema, paramsSchema } from '../record-schema.ts';

/** The body of a material create request. */
export const materialParams: z.ZodMiniType<MaterialCreateParams, MaterialCreateParams> =
  withProblem(
    paramsSchema(docs.materialCreateFields, {
      url: z.string(),
      type: z.enum(['image', 'video', 'audio']),
      name: z.optional(z.string()),
      real_person: z.optional(
        paramsSchema(docs.realPerson, {
          consent_confirmed: z.literal(true),
          callback_url: z.string(),
        }),
      ),
    }),
    materialCreateParamsProblem,
  );

/** A request body as the service accepts it. */
export const materialCreateBody = /* @__PURE__ */ accepted<MaterialCreateFields>(materialParams);

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
