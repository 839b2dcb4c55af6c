import * as z from 'zod/mini';

import type {
  BackoffPolicy,
  Changelog,
  ChangelogEntry,
  OpenApiDocument,
  RateLimitPolicy,
  RateLimitTier,
  ServiceMetrics,
  ServiceStatus,
} from '../../types/catalog/public.ts';
import { openString, recordSchema } from '../record-schema.ts';

export const serviceStatusRecord = recordSchema<ServiceStatus>({
  object: z.literal('service.status'),
  overallStatus: openString<'degraded'>(),
  title: z.string(),
  summary: z.string(),
  metrics: recordSchema<ServiceMetrics>({
    successRate: z.number(),
    activeApiRequests: z.number(),
    asyncPending: z.number(),
    webhookBacklog: z.number(),
    onlineModelCount: z.number(),
  }),
});

export const rateLimitPolicyRecord = recordSchema<RateLimitPolicy>({
  object: z.optional(openString<'rate_limit.policy'>()),
  tiers: z.optional(
    z.array(
      recordSchema<RateLimitTier>({
        id: z.optional(z.string()),
        concurrency: z.optional(z.number()),
      }),
    ),
  ),
  backoff: z.optional(
    recordSchema<BackoffPolicy>({
      strategy: z.optional(z.string()),
      initialMs: z.optional(z.number()),
      maxMs: z.optional(z.number()),
      jitter: z.optional(z.boolean()),
    }),
  ),
});

const text = z.optional(z.string());

export const changelogRecord = recordSchema<Changelog>({
  object: z.optional(openString<'changelog'>()),
  version: text,
  data: z.optional(
    z.array(
      recordSchema<ChangelogEntry>({
        version: text,
        date: text,
        type: text,
        title: text,
        migration: text,
      }),
    ),
  ),
});

export const openApiDocumentRecord = recordSchema<OpenApiDocument>({
  openapi: z.optional(z.string()),
});
