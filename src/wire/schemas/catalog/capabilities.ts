import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';

const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));

export const capabilitiesRecord = recordSchema(docs.capabilities, {
  object: z.optional(openString<'service.capabilities'>()),
  version: text,
  endpoints: z.optional(
    z.array(
      recordSchema(docs.capabilityEndpoint, {
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
    recordSchema(docs.capabilityIdempotency, { header: text, materialsHeader: text }),
  ),
  webhooks: z.optional(
    recordSchema(docs.capabilityWebhooks, { enabled: z.optional(z.boolean()), events: texts }),
  ),
  limits: z.optional(z.record(z.string(), z.unknown())),
});
