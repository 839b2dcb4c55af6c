import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import { responseSchema } from './schema.ts';
import type { Open } from './schema.ts';

/**
 * One endpoint of the service. Specification: Public endpoints, GET /capabilities; assumption A16.
 */
export interface CapabilityEndpoint {
  /** HTTP method. */
  method?: string | undefined;
  /** Path template. */
  path?: string | undefined;
  /** Whether it needs a key. */
  auth?: boolean | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * The headers that carry idempotency keys. Specification: Public endpoints, GET /capabilities;
 * assumption A16.
 */
export interface CapabilityIdempotency {
  /** The header of generation requests. */
  header?: string | undefined;
  /** The header of material requests. */
  materialsHeader?: string | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * What the service tells by webhook. Specification: Public endpoints, GET /capabilities; assumption
 * A16.
 */
export interface CapabilityWebhooks {
  /** Whether there are webhooks. */
  enabled?: boolean | undefined;
  /** Kinds of event. */
  events?: string[] | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** What the service can do. Specification: Public endpoints, GET /capabilities; assumption A16. */
export interface Capabilities {
  /** Kind of record. */
  object?: Open<'service.capabilities'> | undefined;
  /** Version of the service, such as `2026.05`. */
  version?: string | undefined;
  /** The endpoints. */
  endpoints?: CapabilityEndpoint[] | undefined;
  /** What models make, such as `image`. */
  modalities?: string[] | undefined;
  /** Languages of public texts, such as `en-US`. */
  locales?: string[] | undefined;
  /** Currencies of the wallet, such as `USD`. */
  currencies?: string[] | undefined;
  /** The headers that carry idempotency keys. */
  idempotency?: CapabilityIdempotency | undefined;
  /** What the service tells by webhook. */
  webhooks?: CapabilityWebhooks | undefined;
  /** Limits by name. */
  limits?: Record<string, unknown> | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

export const capabilitiesRecord = /* @__PURE__ */ (() => {
  const text = z.optional(z.string());
  const texts = z.optional(z.array(z.string()));
  return recordSchema<Capabilities>({
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
})();

export const capabilitiesSchema = /* @__PURE__ */ responseSchema<Capabilities>({});
