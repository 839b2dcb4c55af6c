import type { OpenString } from '../schema.ts';

/** One endpoint of the service. The service does not document this record, so any field can be absent. */
export interface CapabilityEndpoint {
  /** HTTP method. */
  method?: string | undefined;
  /** Path template. */
  path?: string | undefined;
  /** Whether the endpoint requires an API key. */
  auth?: boolean | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Names of the idempotency key headers. The service does not document this record, so any field can be absent. */
export interface CapabilityIdempotency {
  /** Header for generation requests. */
  header?: string | undefined;
  /** Header for material requests. */
  materialsHeader?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Webhook support. The service does not document this record, so any field can be absent. */
export interface CapabilityWebhooks {
  /** Whether webhooks are enabled. */
  enabled?: boolean | undefined;
  /** Event types. */
  events?: string[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Capabilities of the service. The service does not document this record, so any field can be absent. */
export interface Capabilities {
  /** Record type. */
  object?: OpenString<'service.capabilities'> | undefined;
  /** Service version, such as `2026.05`. */
  version?: string | undefined;
  /** Available endpoints. */
  endpoints?: CapabilityEndpoint[] | undefined;
  /** Supported modalities, such as `image`. */
  modalities?: string[] | undefined;
  /** Supported locales, such as `en-US`. */
  locales?: string[] | undefined;
  /** Supported currencies, such as `USD`. */
  currencies?: string[] | undefined;
  /** Names of the idempotency key headers. */
  idempotency?: CapabilityIdempotency | undefined;
  /** Webhook support. */
  webhooks?: CapabilityWebhooks | undefined;
  /** Limits, keyed by name. */
  limits?: Record<string, unknown> | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}
