import type { OpenString } from '../schema.ts';

/** Metrics of the service. */
export interface ServiceMetrics {
  /** Success rate in percent. */
  successRate: number;
  /** Number of API requests in progress. */
  activeApiRequests: number;
  /** Number of pending async tasks. */
  asyncPending: number;
  /** Number of pending webhook deliveries. */
  webhookBacklog: number;
  /** Number of models online. */
  onlineModelCount: number;
}

/** Status of the service. */
export interface ServiceStatus {
  /** Record type. */
  object: 'service.status';
  /** Overall health. The only documented value is `degraded`. */
  overallStatus: OpenString<'degraded'>;
  /** Title in the requested locale. */
  title: string;
  /** Summary in the requested locale. */
  summary: string;
  /** Service metrics. */
  metrics: ServiceMetrics;
}

/** Query parameters of the service status. */
export interface StatusQuery {
  /** Locale of `title` and `summary`. */
  locale?: OpenString<'zh-CN' | 'en-US' | 'ja-JP' | 'ko-KR'> | undefined;
}

/** One concurrency tier. The service does not document this record, so any field can be absent. */
export interface RateLimitTier {
  /** Tier id, such as `tier_enterprise`. */
  id?: string | undefined;
  /** Maximum number of concurrent requests. */
  concurrency?: number | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Recommended backoff after a 429. The service does not document this record, so any field can be absent. */
export interface BackoffPolicy {
  /** Backoff strategy, such as `exponential`. */
  strategy?: string | undefined;
  /** Initial delay in milliseconds. */
  initialMs?: number | undefined;
  /** Maximum delay in milliseconds. */
  maxMs?: number | undefined;
  /** Whether to add random jitter to the delays. */
  jitter?: boolean | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Concurrency tiers and backoff policy. The service does not document this record, so any field can be absent. */
export interface RateLimitPolicy {
  /** Record type. */
  object?: OpenString<'rate_limit.policy'> | undefined;
  /** Concurrency tiers. */
  tiers?: RateLimitTier[] | undefined;
  /** Recommended backoff. */
  backoff?: BackoffPolicy | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** One entry in the changelog. The service does not document this record, so any field can be absent. */
export interface ChangelogEntry {
  /** Service version. */
  version?: string | undefined;
  /**
   * Release date.
   * @format date
   */
  date?: string | undefined;
  /** Type of change. */
  type?: string | undefined;
  /** Short description of the change. */
  title?: string | undefined;
  /** Migration notes. */
  migration?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Version history and migration notes. The service does not document this record, so any field can be absent. */
export interface Changelog {
  /** Record type. */
  object?: OpenString<'changelog'> | undefined;
  /** Current service version. */
  version?: string | undefined;
  /** Changelog entries. */
  data?: ChangelogEntry[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** OpenAPI document of the service, as sent. */
export interface OpenApiDocument {
  /**
   * OpenAPI version.
   * @sample 3.0.3
   */
  openapi?: string | undefined;
  /** All other fields of the document. */
  [field: string]: unknown;
}
