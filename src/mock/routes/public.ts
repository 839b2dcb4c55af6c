import { errorCatalogRecord, errorDetailRecord } from '../../wire/schemas/catalog/errors.ts';
import { capabilitiesRecord } from '../../wire/schemas/catalog/models.ts';
import { pricingCatalogRecord } from '../../wire/schemas/catalog/pricing.ts';
import {
  changelogRecord,
  openApiDocumentRecord,
  rateLimitPolicyRecord,
  serviceStatusRecord,
} from '../../wire/schemas/catalog/public.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { openApiDocument } from '../openapi/document.ts';
import { errorDetail, errorDetails } from '../public/error-catalog.ts';
import {
  capabilities,
  changelog,
  pricingCatalog,
  rateLimits,
  serviceStatus,
} from '../public/records.ts';

const publicEndpoint = { method: 'GET', auth: 'none' } as const;

/** Specification: Public endpoints. */
export const publicRoutes = [
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/status',
    summary: 'Retrieve the service status',
    query: ['locale'],
    responseSchema: serviceStatusRecord,
    errors: [400],
    handle: (context) => json(200, serviceStatus(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/capabilities',
    summary: 'Retrieve the capabilities',
    responseSchema: capabilitiesRecord,
    handle: (context) => json(200, capabilities(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/errors',
    summary: 'List error codes',
    responseSchema: errorCatalogRecord,
    handle: () => json(200, { object: 'error.catalog', data: errorDetails() }),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/errors/{code}',
    summary: 'Retrieve an error code',
    responseSchema: errorDetailRecord,
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
    responseSchema: changelogRecord,
    handle: () => json(200, changelog),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/pricing',
    summary: 'Retrieve the pricing catalog',
    query: ['type'],
    responseSchema: pricingCatalogRecord,
    errors: [400],
    handle: (context) => json(200, pricingCatalog(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/rate-limits',
    summary: 'Retrieve the rate-limit policy',
    responseSchema: rateLimitPolicyRecord,
    handle: (context) => json(200, rateLimits(context)),
  }),
  defineEndpoint({
    ...publicEndpoint,
    path: '/v1/openapi.json',
    summary: 'Retrieve the OpenAPI document',
    responseSchema: openApiDocumentRecord,
    handle: (context) => json(200, openApiDocument(context)),
  }),
];
