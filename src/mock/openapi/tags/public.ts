import { capabilitiesRecord } from '../../../schemas/catalog/capabilities.ts';
import { errorCatalogRecord, errorDetailRecord } from '../../../schemas/catalog/error-catalog.ts';
import { errorBodyRecord, errorEnvelopeRecord } from '../../../schemas/catalog/error-codes.ts';
import { pricingCatalogRecord } from '../../../schemas/catalog/pricing-catalog.ts';
import {
  changelogRecord,
  openApiDocumentRecord,
  rateLimitPolicyRecord,
  serviceStatusRecord,
} from '../../../schemas/catalog/public.ts';
import type { TagDocs } from '../docs.ts';

/** Specification: Public endpoints; Service status; Errors. */
export const publicDocs: TagDocs = {
  tag: {
    name: 'Service',
    description: 'Public information about the service. No API key required.',
  },
  operations: {
    'GET /v1/status': {
      id: 'getStatus',
      description:
        'Returns the health of the service. The title and summary are in the requested language, or else in English.',
      query: {
        locale: {
          description: 'Language of the title and summary.',
          enum: ['zh-CN', 'en-US', 'ja-JP', 'ko-KR'],
        },
      },
      responses: { 200: ['The service status.'] },
    },
    'GET /v1/capabilities': {
      id: 'getCapabilities',
      description:
        'Returns endpoints, modalities, locales, currencies, idempotency headers, webhooks and limits.',
      responses: { 200: ['The capabilities.'] },
    },
    'GET /v1/errors': {
      id: 'listErrorCodes',
      description: 'Lists every `error.code` with its retry policy.',
      responses: { 200: ['The error catalog.'] },
    },
    'GET /v1/errors/{code}': {
      id: 'getErrorCode',
      description:
        'Returns the meaning of an error code, its retry policy, an example and support guidance.',
      responses: { 200: ['The error detail.'] },
    },
    'GET /v1/changelog': {
      id: 'getChangelog',
      description: 'Lists the versions of the service with migration notes.',
      responses: { 200: ['The changelog.'] },
    },
    'GET /v1/pricing': {
      id: 'getPricing',
      description: 'Lists the prices of all models, or of the models of one type.',
      query: {
        type: {
          description: 'Return only models of this type.',
          enum: ['all', 'chat', 'image', 'video', 'audio'],
          default: 'all',
        },
      },
      responses: { 200: ['The pricing catalog.'] },
    },
    'GET /v1/rate-limits': {
      id: 'getRateLimits',
      description: 'Returns the concurrency limit of each tier and the backoff policy after a 429.',
      responses: { 200: ['The rate-limit policy.'] },
    },
    'GET /v1/openapi.json': {
      id: 'getOpenApiDocument',
      description: 'Returns this document.',
      responses: { 200: ['The OpenAPI 3.0 document.'] },
    },
  },
  schemas: {
    ServiceStatus: {
      schema: serviceStatusRecord,
      description: 'Health of the service.',
      fields: {
        object: 'Object type.',
        overallStatus: 'Overall health, such as `operational` or `degraded`.',
        title: 'Short description of the health.',
        summary: 'Longer description of the health.',
        metrics: 'Health metrics.',
        'metrics.successRate': 'Percentage of successful requests.',
        'metrics.activeApiRequests': 'Number of API requests in flight.',
        'metrics.asyncPending': 'Number of pending asynchronous tasks.',
        'metrics.webhookBacklog': 'Number of pending webhook deliveries.',
        'metrics.onlineModelCount': 'Number of available models.',
      },
    },
    Capabilities: {
      schema: capabilitiesRecord,
      description: 'Capabilities of the service.',
      fields: {
        object: 'Object type.',
        version: 'Version of the service.',
        endpoints: 'Available endpoints.',
        'endpoints[].method': 'HTTP method.',
        'endpoints[].path': 'Path template, with `{name}` for parameters.',
        'endpoints[].auth': 'Whether the endpoint requires an API key.',
        modalities: 'Supported modalities, such as `image`.',
        locales: 'Supported locales.',
        currencies: 'Wallet currencies.',
        idempotency: 'Headers for idempotency keys.',
        'idempotency.header': 'Header for generation requests.',
        'idempotency.materialsHeader': 'Header for material requests.',
        webhooks: 'Webhook support.',
        'webhooks.enabled': 'Whether webhooks are available.',
        'webhooks.events': 'Event types.',
        limits: 'Limits by name.',
      },
    },
    Error: {
      schema: errorEnvelopeRecord,
      description: 'Error envelope of all endpoints except the key balance endpoint.',
      example: {
        error: {
          message: '`model` is required',
          type: 'invalid_request_error',
          code: 'invalid_request_parameter',
        },
      },
      fields: {},
    },
    ErrorBody: {
      schema: errorBodyRecord,
      description: 'Error information.',
      fields: {
        message: 'Human-readable message. Contains only public information.',
        type: {
          description: 'Error type.',
          example: 'invalid_request_error',
        },
        code: {
          description: 'Machine-readable error code. `GET /v1/errors` lists all codes.',
          example: 'invalid_request_parameter',
        },
        param: 'Name of the invalid field, if the service reports it.',
      },
    },
    ErrorDetail: {
      schema: errorDetailRecord,
      description: 'Meaning of an error code.',
      fields: {
        object: 'Object type.',
        code: 'Error code.',
        httpStatus: 'HTTP status.',
        type: 'Error type.',
        title: 'Short description.',
        retry: 'Retry policy.',
        'retry.retryable': 'Whether a retry can succeed.',
        'retry.strategy': 'Retry strategy.',
        'retry.maxAttempts': 'Maximum number of attempts.',
        example: 'Example response body.',
        support: 'Support guidance.',
      },
    },
    ErrorCatalog: {
      schema: errorCatalogRecord,
      description: 'All error codes.',
      fields: { object: 'Object type.', data: 'Error codes.' },
    },
    PricingCatalog: {
      schema: pricingCatalogRecord,
      description: 'Prices of all models.',
      fields: {
        object: 'Object type.',
        type: 'Requested model type.',
        currency: 'Currency of the prices.',
        data: 'Models with prices.',
        'data[].id': 'Model id, as used in requests.',
        'data[].type': 'Model type.',
      },
    },
    RateLimitPolicy: {
      schema: rateLimitPolicyRecord,
      description: 'Concurrency tiers and backoff policy.',
      fields: {
        object: 'Object type.',
        tiers: 'Concurrency tiers.',
        'tiers[].id': 'Tier id.',
        'tiers[].concurrency':
          'Maximum number of chat and generation requests in flight at the same time.',
        backoff: 'Backoff policy after a 429.',
        'backoff.strategy': 'Backoff strategy.',
        'backoff.initialMs': 'Initial delay in milliseconds.',
        'backoff.maxMs': 'Maximum delay in milliseconds.',
        'backoff.jitter': 'Whether to add random jitter to the delays.',
      },
    },
    Changelog: {
      schema: changelogRecord,
      description: 'Version history of the service.',
      fields: {
        object: 'Object type.',
        version: 'Service version.',
        data: 'Changes.',
        'data[].version': 'Version.',
        'data[].date': { description: 'Release date.', format: 'date' },
        'data[].type': 'Type of change.',
        'data[].title': 'Short description of the change.',
        'data[].migration': 'Migration notes.',
      },
    },
    OpenApiDocument: {
      schema: openApiDocumentRecord,
      description: 'OpenAPI document.',
      fields: { openapi: { description: 'OpenAPI version.', example: '3.0.3' } },
    },
  },
};
