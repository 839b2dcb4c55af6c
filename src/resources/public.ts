import type { ClientContext } from '../core/call/context.ts';
import { requestJson } from '../core/call/endpoint.ts';
import type { Endpoint } from '../core/call/endpoint.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import { queryString } from '../core/http/path.ts';
import type { Capabilities } from '../schemas/capabilities.ts';
import type { ErrorCatalog, ErrorDetail } from '../schemas/error-catalog.ts';
import type { ErrorCode } from '../schemas/error-codes.ts';
import type { PricingCatalog, PricingQuery } from '../schemas/pricing-catalog.ts';
import type {
  Changelog,
  OpenApiDocument,
  RateLimitPolicy,
  ServiceStatus,
  StatusQuery,
} from '../schemas/public.ts';
import { anyRecord } from '../schemas/schema.ts';

/** Public endpoints. Requests never carry credentials. Specification: Public endpoints. */
export class Public {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** Retrieves the status of the service. Specification: Public endpoints, GET /status. */
  status(query: StatusQuery = {}, options?: RequestOptions): RequestPromise<ServiceStatus> {
    return this.#get('/v1/status', options, {
      query: () => queryString(query),
    });
  }

  /** Retrieves the capabilities of the service. Specification: Public endpoints, GET /capabilities; assumption A16. */
  capabilities(options?: RequestOptions): RequestPromise<Capabilities> {
    return this.#get('/v1/capabilities', options);
  }

  /** Retrieves the catalog of error codes. Specification: Public endpoints, GET /errors; assumption A16. */
  errors(options?: RequestOptions): RequestPromise<ErrorCatalog> {
    return this.#get('/v1/errors', options);
  }

  /**
   * Retrieves one error code with its retry policy, example response and support guidance. Specification: Public
   * endpoints, GET /errors/\{code\}; assumption A16.
   *
   * @throws {@link NotFoundError} if the code does not exist.
   */
  error(code: ErrorCode, options?: RequestOptions): RequestPromise<ErrorDetail> {
    return this.#get('/v1/errors/{code}', options, { values: { code } });
  }

  /** Retrieves the changelog and migration notes. Specification: Public endpoints, GET /changelog; assumption A16. */
  changelog(options?: RequestOptions): RequestPromise<Changelog> {
    return this.#get('/v1/changelog', options);
  }

  /**
   * Retrieves the pricing catalog, optionally for one model type. Specification: Public endpoints, GET /pricing;
   * assumption A16.
   */
  pricing(query: PricingQuery = {}, options?: RequestOptions): RequestPromise<PricingCatalog> {
    return this.#get('/v1/pricing', options, {
      query: () => queryString(query),
    });
  }

  /**
   * Retrieves the concurrency tiers and the backoff policy. Specification: Public endpoints, GET /rate-limits;
   * assumption A16.
   */
  rateLimits(options?: RequestOptions): RequestPromise<RateLimitPolicy> {
    return this.#get('/v1/rate-limits', options);
  }

  /** Retrieves the OpenAPI document of the service. Specification: Public endpoints, GET /openapi.json. */
  openapi(options?: RequestOptions): RequestPromise<OpenApiDocument> {
    return this.#get('/v1/openapi.json', options);
  }

  #get<Result>(
    template: string,
    options: RequestOptions | undefined,
    endpoint?: Endpoint,
  ): RequestPromise<Result> {
    return requestJson(this.#context, template, anyRecord, options, {
      ...endpoint,
      credentials: false,
    });
  }
}
