import { requestJson } from '../core/call/endpoint.ts';
import type { Endpoint } from '../core/call/endpoint.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { ResultSchema } from '../core/call/api-call.ts';
import type { ClientContext } from '../core/call/context.ts';
import { capabilitiesSchema } from '../schemas/capabilities.ts';
import type { Capabilities } from '../schemas/capabilities.ts';
import { errorCatalogSchema, errorDetailSchema } from '../schemas/error-catalog.ts';
import type { ErrorCatalog, ErrorDetail } from '../schemas/error-catalog.ts';
import type { ErrorCode } from '../schemas/error-codes.ts';
import { pricingCatalogSchema } from '../schemas/pricing-catalog.ts';
import type { PricingCatalog, PricingQuery } from '../schemas/pricing-catalog.ts';
import {
  changelogSchema,
  openApiDocumentSchema,
  rateLimitPolicySchema,
  serviceStatusSchema,
} from '../schemas/public.ts';
import type {
  Changelog,
  OpenApiDocument,
  RateLimitPolicy,
  ServiceStatus,
  StatusQuery,
} from '../schemas/public.ts';

/** What anybody may ask; no credentials are ever sent. Specification: Public endpoints. */
export class Public {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** How the service is doing. Specification: GET /status. */
  status(query: StatusQuery = {}, options?: RequestOptions): RequestPromise<ServiceStatus> {
    return this.#ask('/v1/status', serviceStatusSchema, options, { query });
  }

  /** What the service can do. Specification: GET /capabilities; assumption A16. */
  capabilities(options?: RequestOptions): RequestPromise<Capabilities> {
    return this.#ask('/v1/capabilities', capabilitiesSchema, options);
  }

  /** Every error code. Specification: GET /errors; assumption A16. */
  errors(options?: RequestOptions): RequestPromise<ErrorCatalog> {
    return this.#ask('/v1/errors', errorCatalogSchema, options);
  }

  /**
   * One error code: whether to retry, an example, what support says. Specification: GET /errors/\{code\}; assumption A16.
   *
   * @throws {@link NotFoundError} when there is no such code.
   */
  error(code: ErrorCode, options?: RequestOptions): RequestPromise<ErrorDetail> {
    return this.#ask('/v1/errors/{code}', errorDetailSchema, options, { values: { code } });
  }

  /** What has changed. Specification: GET /changelog; assumption A16. */
  changelog(options?: RequestOptions): RequestPromise<Changelog> {
    return this.#ask('/v1/changelog', changelogSchema, options);
  }

  /** What things cost. Specification: GET /pricing; assumption A16. */
  pricing(query: PricingQuery = {}, options?: RequestOptions): RequestPromise<PricingCatalog> {
    return this.#ask('/v1/pricing', pricingCatalogSchema, options, { query });
  }

  /** Concurrency tiers and how to back off. Specification: GET /rate-limits; assumption A16. */
  rateLimits(options?: RequestOptions): RequestPromise<RateLimitPolicy> {
    return this.#ask('/v1/rate-limits', rateLimitPolicySchema, options);
  }

  /** The service's own OpenAPI document. Specification: GET /openapi.json. */
  openapi(options?: RequestOptions): RequestPromise<OpenApiDocument> {
    return this.#ask('/v1/openapi.json', openApiDocumentSchema, options);
  }

  #ask<Result>(
    template: string,
    schema: ResultSchema<Result>,
    options: RequestOptions | undefined,
    endpoint?: Endpoint,
  ): RequestPromise<Result> {
    return requestJson(this.#context, template, schema, options, {
      ...endpoint,
      credentials: false,
    });
  }
}
