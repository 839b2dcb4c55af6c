import * as z from 'zod/mini';

import type {
  Capabilities,
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
} from '../../types/catalog/capabilities.ts';
import { openString, recordSchema } from '../record-schema.ts';

const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));

export const capabilitiesRecord = recordSchema<Capabilities>({
  object: z.optional(openString<'service.capabilities'>()),
  version: text,
  endpoints: z.optional(
    z.array(
      recordSchema<CapabilityEndpoint>({
        method: text,
        path: text,
        auth: z.optional(z.boolean()),
      }),
    ),
  ),
  modalities: texts,
  locales: texts,
  currencies: texts,
  idempotency: z.optional(
    recordSchema<CapabilityIdempotency>({ header: text, materialsHeader: text }),
  ),
  webhooks: z.optional(
    recordSchema<CapabilityWebhooks>({ enabled: z.optional(z.boolean()), events: texts }),
  ),
  limits: z.optional(z.record(z.string(), z.unknown())),
});
