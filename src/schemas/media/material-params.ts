import * as z from 'zod/mini';

import type { MaterialCreateFields, RealPerson } from '../../types/media/material-params.ts';
import { bodySchema } from '../record-schema.ts';

export const materialCreateBody = bodySchema<MaterialCreateFields>({
  url: z.string(),
  type: z.enum(['image', 'video', 'audio']),
  name: z.optional(z.string()),
  real_person: z.optional(
    bodySchema<RealPerson>({ consent_confirmed: z.literal(true), callback_url: z.string() }),
  ),
});
