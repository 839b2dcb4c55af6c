import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import { responseSchema } from './schema.ts';
import type { Open } from './schema.ts';

/** The numbers behind the service's health. Specification: Service status, `metrics`. */
export interface ServiceMetrics {
  /** Requests that succeed, in percent. */
  successRate: number;
  /** Requests that are being answered. */
  activeApiRequests: number;
  /** Tasks that are not finished. */
  asyncPending: number;
  /** Webhook deliveries that wait. */
  webhookBacklog: number;
  /** Models that are on offer. */
  onlineModelCount: number;
}

/** How the service is. Specification: Service status. */
export interface ServiceStatus {
  /** Kind of record. */
  object: 'service.status';
  /** Overall health; `degraded` is the one documented word. */
  overallStatus: Open<'degraded'>;
  /** The health in a few words, in the language that was asked for. */
  title: string;
  /** The health in a sentence, in the language that was asked for. */
  summary: string;
  /** The numbers behind it. */
  metrics: ServiceMetrics;
}

/** In which language to tell the status. Specification: Public endpoints, GET /status. */
export interface StatusQuery {
  /** Language and region. */
  locale?: Open<'zh-CN' | 'en-US' | 'ja-JP' | 'ko-KR'> | undefined;
}

/** One tier of concurrency. Specification: Public endpoints, GET /rate-limits; assumption A16. */
export interface RateLimitTier {
  /** Name of the tier, such as `tier_enterprise`. */
  id?: string | undefined;
  /** Requests that may be in flight together. */
  concurrency?: number | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * How to slow down when refused. Specification: Public endpoints, GET /rate-limits; assumption A16.
 */
export interface BackoffPolicy {
  /** Name of the strategy, such as `exponential`. */
  strategy?: string | undefined;
  /** First wait, ms. */
  initialMs?: number | undefined;
  /** Longest wait, ms. */
  maxMs?: number | undefined;
  /** Whether waits should be made irregular. */
  jitter?: boolean | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * How many requests may run, and how to slow down. Specification: Public endpoints, GET
 * /rate-limits; assumption A16.
 */
export interface RateLimitPolicy {
  /** Kind of record. */
  object?: Open<'rate_limit.policy'> | undefined;
  /** The tiers of concurrency. */
  tiers?: RateLimitTier[] | undefined;
  /** How to slow down when refused. */
  backoff?: BackoffPolicy | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** One version of the service. Specification: Public endpoints, GET /changelog; assumption A16. */
export interface ChangelogEntry {
  /** The version. */
  version?: string | undefined;
  /** When it came out. */
  date?: string | undefined;
  /** Kind of change. */
  type?: string | undefined;
  /** What changed, in a few words. */
  title?: string | undefined;
  /** What callers have to do. */
  migration?: string | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * How the service has changed. Specification: Public endpoints, GET /changelog; Versioning;
 * assumption A16.
 */
export interface Changelog {
  /** Kind of record. */
  object?: Open<'changelog'> | undefined;
  /** The current version. */
  version?: string | undefined;
  /** The versions. */
  data?: ChangelogEntry[] | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/**
 * The service's machine-readable description, as sent. Specification: Public endpoints, GET
 * /openapi.json.
 */
export interface OpenApiDocument {
  /** Version of OpenAPI. */
  openapi?: string | undefined;
  /** Every other field of the document. */
  [field: string]: unknown;
}

export const serviceStatusRecord = /* @__PURE__ */ (() =>
  recordSchema<ServiceStatus>({
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
  }))();

export const serviceStatusSchema = /* @__PURE__ */ responseSchema<ServiceStatus>({});

export const rateLimitPolicyRecord = /* @__PURE__ */ (() =>
  recordSchema<RateLimitPolicy>({
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
  }))();

export const rateLimitPolicySchema = /* @__PURE__ */ responseSchema<RateLimitPolicy>({});

export const changelogRecord = /* @__PURE__ */ (() => {
  const text = z.optional(z.string());
  return recordSchema<Changelog>({
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
})();

export const changelogSchema = /* @__PURE__ */ responseSchema<Changelog>({});

export const openApiDocumentRecord = /* @__PURE__ */ (() =>
  recordSchema<OpenApiDocument>({ openapi: z.optional(z.string()) }))();

export const openApiDocumentSchema = /* @__PURE__ */ responseSchema<OpenApiDocument>({});
