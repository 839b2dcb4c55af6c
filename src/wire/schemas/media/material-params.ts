import type { MaterialCreateParams } from 'polygate';
import * as z from 'zod/mini';

import { materialCreateParamsProblem } from '../../types/media/materials.ts';
import type { MaterialCreateFields } from '../../types/media/materials.ts';
import { accepted } from '../accepted.ts';
import * as docs from '../docs/media.ts';
import { withProblem } from '../params.ts';
import { paramsSchema } from '../record-schema.ts';

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
