import * as shapes from '../../wire/generated/index.ts';
import type { Capabilities } from '../../wire/types/catalog/models.ts';
import { modelTypes } from '../../wire/types/catalog/pricing.ts';
import type { PricingCatalog } from '../../wire/types/catalog/pricing.ts';
import type { Changelog, RateLimitPolicy, ServiceStatus } from '../../wire/types/catalog/public.ts';
import { defaultTier } from '../account/users.ts';
import { defineEndpoint, param, documented } from '../http/endpoint.ts';
import type { RequestContext, TagDocs } from '../http/endpoint.ts';
import { errorDetail, errorDetails } from '../http/errors.ts';
import { GatewayError, json, invalidParameter } from '../http/response.ts';
import { openApiDocument, version } from '../openapi/document.ts';

const publicEndpoint = { method: 'GET', auth: 'none' } as const;

/** Specification: Public endpoints; Service status; Errors. */
const publicDocs: TagDocs = {
  tag: {
    name: 'Service',
    description: 'Public information about the service. No API key required.',
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

/** Specification: Public endpoints. */
export const publicRoutes = documented(publicDocs, [
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/status',
    summary: 'Retrieve the service status',
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
    responseSchema: shapes.serviceStatus,
    errors: [400],
    handle: (context) => json(200, serviceStatus(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/capabilities',
    summary: 'Retrieve the capabilities',
    id: 'getCapabilities',
    description:
      'Returns endpoints, modalities, locales, currencies, idempotency headers, webhooks and limits.',
    responses: { 200: ['The capabilities.'] },
    responseSchema: shapes.capabilities,
    handle: (context) => json(200, capabilities(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/errors',
    summary: 'List error codes',
    id: 'listErrorCodes',
    description: 'Lists every `error.code` with its retry policy.',
    responses: { 200: ['The error catalog.'] },
    responseSchema: shapes.errorCatalog,
    handle: () => json(200, { object: 'error.catalog', data: errorDetails() }),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/errors/{code}',
    summary: 'Retrieve an error code',
    id: 'getErrorCode',
    description:
      'Returns the meaning of an error code, its retry policy, an example and support guidance.',
    responses: { 200: ['The error detail.'] },
    responseSchema: shapes.errorDetail,
    errors: [404],
    handle: (context) => {
      const code = param(context, 'code');
      const detail = errorDetail(code);
      if (detail !== undefined) return json(200, detail);
      throw new GatewayError(
        404,
        'not_found',
        `The error catalog does not contain this code: ${code}`,
      );
    },
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/changelog',
    summary: 'Retrieve the changelog',
    id: 'getChangelog',
    description: 'Lists the versions of the service with migration notes.',
    responses: { 200: ['The changelog.'] },
    responseSchema: shapes.changelog,
    handle: () => json(200, changelog),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/pricing',
    summary: 'Retrieve the pricing catalog',
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
    responseSchema: shapes.pricingCatalog,
    errors: [400],
    handle: (context) => json(200, pricingCatalog(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/rate-limits',
    summary: 'Retrieve the rate-limit policy',
    id: 'getRateLimits',
    description: 'Returns the concurrency limit of each tier and the backoff policy after a 429.',
    responses: { 200: ['The rate-limit policy.'] },
    responseSchema: shapes.rateLimitPolicy,
    handle: (context) => json(200, rateLimits(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/openapi.json',
    summary: 'Retrieve the OpenAPI document',
    id: 'getOpenApiDocument',
    description: 'Returns this document.',
    responses: { 200: ['The OpenAPI 3.0 document.'] },
    responseSchema: shapes.openApiDocument,
    handle: (context) => json(200, openApiDocument(context)),
  }),
]);

const operationalTexts = {
  'en-US': { title: 'All systems operational', summary: 'Requests are processed normally' },
  'zh-CN': { title: '所有系统正常', summary: '请求处理一切正常' },
  'ja-JP': { title: 'すべて正常です', summary: 'リクエストは通常どおり処理されています' },
  'ko-KR': { title: '모든 시스템 정상', summary: '요청이 정상적으로 처리되고 있습니다' },
};

const degradedTexts: typeof operationalTexts = {
  'en-US': { title: 'Some requests are failing', summary: 'We are working on a fix' },
  'zh-CN': { title: '部分请求失败', summary: '我们正在处理' },
  'ja-JP': { title: '一部のリクエストが失敗しています', summary: '対応中です' },
  'ko-KR': { title: '일부 요청이 실패하고 있습니다', summary: '조치 중입니다' },
};

/** Creates the service status. Unknown locales fall back to English. Specification: Service status. */
function serviceStatus({ services, query }: RequestContext): ServiceStatus {
  const locale = query.get('locale');
  const { degraded, successRate } = services.health;
  const texts = degraded ? degradedTexts : operationalTexts;
  const localized = Object.entries(texts).find(([name]) => name === locale)?.[1];
  return {
    object: 'service.status',
    overallStatus: degraded ? 'degraded' : 'operational',
    ...(localized ?? texts['en-US']),
    metrics: {
      successRate,
      activeApiRequests: services.slots.inFlight,
      asyncPending: services.tasks.pending,
      webhookBacklog: 0,
      onlineModelCount: services.catalog.models.length,
    },
  };
}

/** Creates the capabilities from the endpoint table. Assumption A16. */
function capabilities({ services }: RequestContext): Capabilities {
  const listed = services.endpoints.filter((endpoint) => endpoint.hidden !== true);
  return {
    object: 'service.capabilities',
    version,
    endpoints: listed.map(({ method, path, auth }) => ({
      method,
      path,
      auth: auth !== 'none',
    })),
    modalities: [...modelTypes],
    locales: Object.keys(operationalTexts),
    currencies: ['USD', 'CNY'],
    idempotency: { header: 'x-idempotency-key', materialsHeader: 'Idempotency-Key' },
    webhooks: { enabled: false, events: [] },
    limits: {
      materialPageSize: 100,
      materialLifetimeSeconds: 7200,
      idempotencyKeyLength: 200,
      bodyBytes: services.settings.maxBodyBytes,
    },
  };
}

/** Creates the price list of all models, or of the models of one type. Assumption A16. */
function pricingCatalog({ services, query }: RequestContext): PricingCatalog {
  const type = query.get('type') ?? 'all';
  const types: readonly string[] = ['all', ...modelTypes];
  if (!types.includes(type)) {
    throw invalidParameter(`\`type\` must be one of ${types.join(', ')}`);
  }
  const models = services.catalog.models.filter((model) => type === 'all' || model.type === type);
  return {
    object: 'pricing.catalog',
    type,
    currency: 'USD',
    data: models.map(({ id, type: modelType, pricing }) => ({ id, type: modelType, pricing })),
  };
}

/** Creates the record of concurrency tiers and backoff policy. Assumption A16. */
function rateLimits({ services }: RequestContext): RateLimitPolicy {
  const { limit, source } = services.slots;
  const concurrency = source === defaultTier.id ? limit : defaultTier.concurrency;
  return {
    object: 'rate_limit.policy',
    tiers: [{ id: defaultTier.id, concurrency }],
    backoff: { strategy: 'exponential', initialMs: 500, maxMs: 8000, jitter: true },
  };
}

/** The version history. Assumption A16. */
const changelog: Changelog = {
  object: 'changelog',
  version,
  data: [
    {
      version: '2026-07-29',
      date: '2026-07-29',
      type: 'added',
      title: 'Library of reusable materials for video requests',
      migration: 'No action required: media URLs are still accepted',
    },
    { version, date: '2026-05-01', type: 'added', title: 'First public contract' },
  ],
};
