// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  BackoffPolicy,
  Changelog,
  ChangelogEntry,
  OpenApiDocument,
  RateLimitPolicy,
  RateLimitTier,
  ServiceMetrics,
  ServiceStatus,
} from '../../../types/catalog/public.ts';
import type { Docs } from '../../record-schema.ts';

export const serviceMetrics: Docs<ServiceMetrics> = {
  fields: {
    successRate: 'Success rate in percent.',
    activeApiRequests: 'Number of API requests in progress.',
    asyncPending: 'Number of pending async tasks.',
    webhookBacklog: 'Number of pending webhook deliveries.',
    onlineModelCount: 'Number of models online.',
  },
};

export const serviceStatus: Docs<ServiceStatus> = {
  fields: {
    object: 'Record type.',
    overallStatus: 'Overall health. The only documented value is `degraded`.',
    title: 'Title in the requested locale.',
    summary: 'Summary in the requested locale.',
    metrics: 'Service metrics.',
  },
};

export const rateLimitTier: Docs<RateLimitTier> = {
  fields: {
    id: 'Tier id, such as `tier_enterprise`.',
    concurrency: 'Maximum number of concurrent requests.',
  },
};

export const backoffPolicy: Docs<BackoffPolicy> = {
  fields: {
    strategy: 'Backoff strategy, such as `exponential`.',
    initialMs: 'Initial delay in milliseconds.',
    maxMs: 'Maximum delay in milliseconds.',
    jitter: 'Whether to add random jitter to the delays.',
  },
};

export const rateLimitPolicy: Docs<RateLimitPolicy> = {
  fields: {
    object: 'Record type.',
    tiers: 'Concurrency tiers.',
    backoff: 'Recommended backoff.',
  },
};

export const changelogEntry: Docs<ChangelogEntry> = {
  fields: {
    version: 'Service version.',
    date: 'Release date.',
    type: 'Type of change.',
    title: 'Short description of the change.',
    migration: 'Migration notes.',
  },
};

export const changelog: Docs<Changelog> = {
  fields: {
    object: 'Record type.',
    version: 'Current service version.',
    data: 'Changelog entries.',
  },
};

export const openApiDocument: Docs<OpenApiDocument> = {
  fields: {
    openapi: 'OpenAPI version.',
  },
};
