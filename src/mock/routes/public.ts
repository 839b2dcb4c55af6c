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

const publicEndpoint = { method: 'GET', auth: 'none' } as const;

/** Specification: Public endpoints. */
export const publicRoutes = [
  reads({
    ...publicEndpoint,
    path: '/v1/status',
    summary: 'Retrieve the service status',
    query: ['locale'],
    reply: serviceStatusRecord,
    errors: [400],
    handle: (call) => json(200, serviceStatus(call)),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/capabilities',
    summary: 'Retrieve the capabilities',
    reply: capabilitiesRecord,
    handle: (call) => json(200, capabilities(call)),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/errors',
    summary: 'List error codes',
    reply: errorCatalogRecord,
    handle: () => json(200, { object: 'error.catalog', data: errorDetails() }),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/errors/{code}',
    summary: 'Retrieve an error code',
    reply: errorDetailRecord,
    errors: [404],
    handle: (call) => {
      const code = param(call, 'code');
      const detail = errorDetail(code);
      if (detail !== undefined) return json(200, detail);
      throw new GatewayError(
        404,
        'not_found',
        `The error catalog does not contain this code: ${code}`,
      );
    },
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/changelog',
    summary: 'Retrieve the changelog',
    reply: changelogRecord,
    handle: () => json(200, changelog),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/pricing',
    summary: 'Retrieve the pricing catalog',
    query: ['type'],
    reply: pricingCatalogRecord,
    errors: [400],
    handle: (call) => json(200, pricingCatalog(call)),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/rate-limits',
    summary: 'Retrieve the rate-limit policy',
    reply: rateLimitPolicyRecord,
    handle: (call) => json(200, rateLimits(call)),
  }),
  reads({
    ...publicEndpoint,
    path: '/v1/openapi.json',
    summary: 'Retrieve the OpenAPI document',
    reply: openApiDocumentRecord,
    handle: (call) => json(200, openApiDocument(call)),
  }),
];
