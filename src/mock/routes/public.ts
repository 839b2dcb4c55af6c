import { capabilitiesRecord } from '../../schemas/capabilities.ts';
import { errorCatalogRecord, errorDetailRecord } from '../../schemas/error-catalog.ts';
import { pricingCatalogRecord } from '../../schemas/pricing-catalog.ts';
import {
  changelogRecord,
  openApiDocumentRecord,
  rateLimitPolicyRecord,
  serviceStatusRecord,
} from '../../schemas/public.ts';
import { json } from '../http/response/response.ts';
import { param } from '../http/request-context.ts';
import { reads } from '../http/endpoint.ts';
import { errorDetail, errorDetails } from '../public/error-catalog.ts';
import { openApiDocument } from '../openapi/document.ts';
import {
  capabilities,
  changelog,
  pricingCatalog,
  rateLimits,
  serviceStatus,
} from '../public/records.ts';
import { GatewayError } from '../http/response/gateway-error.ts';

const open = { method: 'GET', auth: 'none' } as const;

/** Specification: Public endpoints. */
export const publicRoutes = [
  reads({
    ...open,
    path: '/v1/status',
    summary: 'How the service is',
    query: ['locale'],
    reply: serviceStatusRecord,
    errors: [400],
    handle: (call) => json(200, serviceStatus(call)),
  }),
  reads({
    ...open,
    path: '/v1/capabilities',
    summary: 'What the service can do',
    reply: capabilitiesRecord,
    handle: (call) => json(200, capabilities(call)),
  }),
  reads({
    ...open,
    path: '/v1/errors',
    summary: 'Every error code',
    reply: errorCatalogRecord,
    handle: () => json(200, { object: 'error.catalog', data: errorDetails() }),
  }),
  reads({
    ...open,
    path: '/v1/errors/{code}',
    summary: 'One error code: when to retry, an example, advice',
    reply: errorDetailRecord,
    errors: [404],
    handle: (call) => {
      const detail = errorDetail(param(call, 'code'));
      if (detail !== undefined) return json(200, detail);
      throw new GatewayError(404, 'not_found', 'The catalog has no such code');
    },
  }),
  reads({
    ...open,
    path: '/v1/changelog',
    summary: 'Versions and migration notes',
    reply: changelogRecord,
    handle: () => json(200, changelog),
  }),
  reads({
    ...open,
    path: '/v1/pricing',
    summary: 'Prices by model',
    query: ['type'],
    reply: pricingCatalogRecord,
    errors: [400],
    handle: (call) => json(200, pricingCatalog(call)),
  }),
  reads({
    ...open,
    path: '/v1/rate-limits',
    summary: 'Concurrency tiers and how to back off',
    reply: rateLimitPolicyRecord,
    handle: (call) => json(200, rateLimits(call)),
  }),
  reads({
    ...open,
    path: '/v1/openapi.json',
    summary: 'This description',
    reply: openApiDocumentRecord,
    handle: (call) => json(200, openApiDocument(call)),
  }),
];
