import * as shapes from '../../../wire/generated/index.ts';
import { modelTypes } from '../../../wire/types/catalog/pricing.ts';
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
          enum: ['all', ...modelTypes],
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
      schema: shapes.serviceStatus,
      description: 'Health of the service.',
    },
    Capabilities: {
      schema: shapes.capabilities,
      description: 'Capabilities of the service.',
    },
    Error: {
      schema: shapes.errorEnvelope,
      description: 'Error envelope of all endpoints except the key balance endpoint.',
      example: {
        error: {
          message: '`model` is required',
          type: 'invalid_request_error',
          code: 'invalid_request_parameter',
        },
      },
    },
    ErrorBody: {
      schema: shapes.errorBody,
      description: 'Error information.',
      keywords: shapes.errorBodyKeywords,
    },
    ErrorDetail: {
      schema: shapes.errorDetail,
      description: 'Meaning of an error code.',
    },
    ErrorCatalog: {
      schema: shapes.errorCatalog,
      description: 'All error codes.',
    },
    PricingCatalog: {
      schema: shapes.pricingCatalog,
      description: 'Prices of all models.',
    },
    RateLimitPolicy: {
      schema: shapes.rateLimitPolicy,
      description: 'Concurrency tiers and backoff policy.',
    },
    Changelog: {
      schema: shapes.changelog,
      description: 'Version history of the service.',
      keywords: shapes.changelogKeywords,
    },
    OpenApiDocument: {
      schema: shapes.openApiDocument,
      description: 'OpenAPI document.',
      keywords: shapes.openApiDocumentKeywords,
    },
  },
};
