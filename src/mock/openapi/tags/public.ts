import { capabilitiesRecord } from '../../../schemas/capabilities.ts';
import { errorCatalogRecord, errorDetailRecord } from '../../../schemas/error-catalog.ts';
import { errorBodyRecord, errorEnvelopeRecord } from '../../../schemas/error-codes.ts';
import { pricingCatalogRecord } from '../../../schemas/pricing-catalog.ts';
import {
  changelogRecord,
  openApiDocumentRecord,
  rateLimitPolicyRecord,
  serviceStatusRecord,
} from '../../../schemas/public.ts';
import type { TagDocs } from '../docs.ts';

/** Specification: Public endpoints; Service status; Errors. */
export const publicDocs: TagDocs = {
  tag: { name: 'Service', description: 'What the service tells everybody, without a key.' },
  operations: {
    'GET /v1/status': {
      id: 'getStatus',
      description: 'Title and summary are in the language that was asked for, otherwise English.',
      query: {
        locale: {
          description: 'Language and region.',
          enum: ['zh-CN', 'en-US', 'ja-JP', 'ko-KR'],
        },
      },
      responses: { 200: ['The health of the service.'] },
    },
    'GET /v1/capabilities': {
      id: 'getCapabilities',
      description:
        'Endpoints, kinds of models, locales, currencies, idempotency, webhooks and limits.',
      responses: { 200: ['What the service can do.'] },
    },
    'GET /v1/errors': {
      id: 'listErrorCodes',
      description: 'The catalogue of every `error.code`, each with its retry policy.',
      responses: { 200: ['The catalogue.'] },
    },
    'GET /v1/errors/{code}': {
      id: 'getErrorCode',
      description: 'What a code means, whether to try again, and what to do.',
      responses: { 200: ['What the code means.'] },
    },
    'GET /v1/changelog': {
      id: 'getChangelog',
      description: 'The versions of the service and what callers have to do for each.',
      responses: { 200: ['The versions.'] },
    },
    'GET /v1/pricing': {
      id: 'getPricing',
      description: 'The prices of every model, or of the models of one type.',
      query: {
        type: {
          description: 'Only models of this type.',
          enum: ['all', 'chat', 'image', 'video', 'audio'],
          default: 'all',
        },
      },
      responses: { 200: ['The prices.'] },
    },
    'GET /v1/rate-limits': {
      id: 'getRateLimits',
      description: 'How many requests may run at once, by tier, and how to wait after a 429.',
      responses: { 200: ['The tiers and the backoff policy.'] },
    },
    'GET /v1/openapi.json': {
      id: 'getOpenApiDocument',
      description: 'This document.',
      responses: { 200: ['An OpenAPI 3.0 document.'] },
    },
  },
  schemas: {
    ServiceStatus: {
      schema: serviceStatusRecord,
      description: 'How the service is.',
      fields: {
        object: 'Kind of record.',
        overallStatus: 'Overall health, such as `operational` or `degraded`.',
        title: 'The health in a few words.',
        summary: 'The health in a sentence.',
        metrics: 'The numbers behind it.',
        'metrics.successRate': 'Requests that succeed, percent.',
        'metrics.activeApiRequests': 'Requests that are being answered.',
        'metrics.asyncPending': 'Tasks that are not finished.',
        'metrics.webhookBacklog': 'Webhook deliveries that wait.',
        'metrics.onlineModelCount': 'Models on offer.',
      },
    },
    Capabilities: {
      schema: capabilitiesRecord,
      description: 'What the service can do.',
      fields: {
        object: 'Kind of record.',
        version: 'Version of the service.',
        endpoints: 'The endpoints.',
        'endpoints[].method': 'HTTP method.',
        'endpoints[].path': 'Path, with `{names}` for what varies.',
        'endpoints[].auth': 'Whether it needs a key.',
        modalities: 'What models make.',
        locales: 'Languages of public texts.',
        currencies: 'Currencies of the wallet.',
        idempotency: 'The headers that carry idempotency keys.',
        'idempotency.header': 'The header of generation requests.',
        'idempotency.materialsHeader': 'The header of material requests.',
        webhooks: 'What the service tells by webhook.',
        'webhooks.enabled': 'Whether there are webhooks.',
        'webhooks.events': 'Kinds of event.',
        limits: 'Limits by name.',
      },
    },
    Error: {
      schema: errorEnvelopeRecord,
      description: 'The error envelope of every endpoint but the key balance.',
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
      description: 'What went wrong.',
      fields: {
        message: 'What went wrong, for people; public information only.',
        type: {
          description: 'The class of the error.',
          example: 'invalid_request_error',
        },
        code: {
          description: 'The machine-readable reason; `GET /v1/errors` lists them.',
          example: 'invalid_request_parameter',
        },
        param: 'The field that is to blame, where the service names it.',
      },
    },
    ErrorDetail: {
      schema: errorDetailRecord,
      description: 'What an error code means.',
      fields: {
        object: 'Kind of record.',
        code: 'The code.',
        httpStatus: 'The HTTP status that comes with it.',
        type: 'The class of the error.',
        title: 'The code in a few words.',
        retry: 'When to try again.',
        'retry.retryable': 'Whether it can help to try again.',
        'retry.strategy': 'How to try again, in a word.',
        'retry.maxAttempts': 'How often to try at most.',
        example: 'An example of the answer.',
        support: 'Where to find help.',
      },
    },
    ErrorCatalog: {
      schema: errorCatalogRecord,
      description: 'Every error code.',
      fields: { object: 'Kind of record.', data: 'The codes.' },
    },
    PricingCatalog: {
      schema: pricingCatalogRecord,
      description: 'What every model costs.',
      fields: {
        object: 'Kind of record.',
        type: 'The type of model that was asked for.',
        currency: 'Currency of the prices.',
        data: 'The models.',
        'data[].id': 'Id of the model, for requests.',
        'data[].type': 'What the model makes.',
      },
    },
    RateLimitPolicy: {
      schema: rateLimitPolicyRecord,
      description: 'How many requests may run, and how to slow down.',
      fields: {
        object: 'Kind of record.',
        tiers: 'The tiers of concurrency.',
        'tiers[].id': 'Name of the tier.',
        'tiers[].concurrency': 'Requests that may be in flight together.',
        backoff: 'How to slow down when refused.',
        'backoff.strategy': 'Name of the strategy.',
        'backoff.initialMs': 'First wait, milliseconds.',
        'backoff.maxMs': 'Longest wait, milliseconds.',
        'backoff.jitter': 'Whether waits should be made irregular.',
      },
    },
    Changelog: {
      schema: changelogRecord,
      description: 'How the service has changed.',
      fields: {
        object: 'Kind of record.',
        version: 'The current version.',
        data: 'The versions.',
        'data[].version': 'The version.',
        'data[].date': { description: 'When it came out.', format: 'date' },
        'data[].type': 'Kind of change.',
        'data[].title': 'What changed.',
        'data[].migration': 'What callers have to do.',
      },
    },
    OpenApiDocument: {
      schema: openApiDocumentRecord,
      description: 'A document such as this one.',
      fields: { openapi: { description: 'Version of OpenAPI.', example: '3.0.3' } },
    },
  },
};
