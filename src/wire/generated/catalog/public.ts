// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { BackoffPolicy, Changelog, ChangelogEntry, OpenApiDocument, RateLimitPolicy, RateLimitTier, ServiceMetrics, ServiceStatus } from '../../types/catalog/public.ts';

const serviceMetrics: Schema<ServiceMetrics> = recordSchema({
  successRate: ["Success rate in percent.", z.number()],
  activeApiRequests: ["Number of API requests in progress.", z.number()],
  asyncPending: ["Number of pending async tasks.", z.number()],
  webhookBacklog: ["Number of pending webhook deliveries.", z.number()],
  onlineModelCount: ["Number of models online.", z.number()],
});

export const serviceStatus: Schema<ServiceStatus> = recordSchema({
  object: ["Record type.", z.literal("service.status")],
  overallStatus: ["Overall health. The only documented value is `degraded`.", openString("degraded")],
  title: ["Title in the requested locale.", z.string()],
  summary: ["Summary in the requested locale.", z.string()],
  metrics: ["Service metrics.", serviceMetrics],
});

const rateLimitTier: Schema<RateLimitTier> = recordSchema({
  id: ["Tier id, such as `tier_enterprise`.", z.optional(z.string())],
  concurrency: ["Maximum number of concurrent requests.", z.optional(z.number())],
});

const backoffPolicy: Schema<BackoffPolicy> = recordSchema({
  strategy: ["Backoff strategy, such as `exponential`.", z.optional(z.string())],
  initialMs: ["Initial delay in milliseconds.", z.optional(z.number())],
  maxMs: ["Maximum delay in milliseconds.", z.optional(z.number())],
  jitter: ["Whether to add random jitter to the delays.", z.optional(z.boolean())],
});

export const rateLimitPolicy: Schema<RateLimitPolicy> = recordSchema({
  object: ["Record type.", z.optional(openString("rate_limit.policy"))],
  tiers: ["Concurrency tiers.", z.optional(z.array(rateLimitTier))],
  backoff: ["Recommended backoff.", z.optional(backoffPolicy)],
});

const changelogEntry: Schema<ChangelogEntry> = recordSchema({
  version: ["Service version.", z.optional(z.string())],
  date: ["Release date.", z.optional(z.string())],
  type: ["Type of change.", z.optional(z.string())],
  title: ["Short description of the change.", z.optional(z.string())],
  migration: ["Migration notes.", z.optional(z.string())],
});

export const changelog: Schema<Changelog> = recordSchema({
  object: ["Record type.", z.optional(openString("changelog"))],
  version: ["Current service version.", z.optional(z.string())],
  data: ["Changelog entries.", z.optional(z.array(changelogEntry))],
});

export const changelogKeywords = {
  "data[].date": {
    "format": "date"
  }
} as const;

export const openApiDocument: Schema<OpenApiDocument> = recordSchema({
  openapi: ["OpenAPI version.", z.optional(z.string())],
});

export const openApiDocumentKeywords = {
  "openapi": {
    "example": "3.0.3"
  }
} as const;
