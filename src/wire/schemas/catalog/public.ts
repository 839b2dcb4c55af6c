import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';

export const serviceStatusRecord = recordSchema(docs.serviceStatus, {
  object: z.literal('service.status'),
  overallStatus: openString<'degraded'>(),
  title: z.string(),
  summary: z.string(),
  metrics: recordSchema(docs.serviceMetrics, {
    successRate: z.number(),
    activeApiRequests: z.number(),
    asyncPending: z.number(),
    webhookBacklog: z.number(),
    onlineModelCount: z.number(),
  }),
});

export const rateLimitPolicyRecord = recordSchema(docs.rateLimitPolicy, {
  object: z.optional(openString<'rate_limit.policy'>()),
  tiers: z.optional(
    z.array(
      recordSchema(docs.rateLimitTier, {
        id: z.optional(z.string()),
        concurrency: z.optional(z.number()),
      }),
    ),
  ),
  backoff: z.optional(
    recordSchema(docs.backoffPolicy, {
      strategy: z.optional(z.string()),
      initialMs: z.optional(z.number()),
      maxMs: z.optional(z.number()),
      jitter: z.optional(z.boolean()),
    }),
  ),
});

const text = z.optional(z.string());

export const changelogRecord = recordSchema(docs.changelog, {
  object: z.optional(openString<'changelog'>()),
  version: text,
  data: z.optional(
    z.array(
      recordSchema(docs.changelogEntry, {
        version: text,
        date: text,
        type: text,
        title: text,
        migration: text,
      }),
    ),
  ),
});

export const openApiDocumentRecord = recordSchema(docs.openApiDocument, {
  openapi: z.optional(z.string()),
});
