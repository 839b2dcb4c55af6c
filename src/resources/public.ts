import type { ClientContext } from '../client/call/context.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise, RequestDetails } from '../client/call/request.ts';
import { requestJson, withoutBody } from '../client/call/request.ts';
import { queryString } from '../client/http/path.ts';
import type { Endpoint } from '../wire/endpoints/endpoint.ts';
import { endpoints } from '../wire/endpoints/index.ts';
import type { ErrorCatalog, ErrorDetail, ErrorCode } from '../wire/types/catalog/errors.ts';
import type { Capabilities } from '../wire/types/catalog/models.ts';
import type { PricingCatalog, PricingQuery } from '../wire/types/catalog/pricing.ts';
import type {
  Changelog,
  OpenApiDocument,
  RateLimitPolicy,
  ServiceStatus,
  StatusQuery,
} from '../wire/types/catalog/public.ts';
import { anyRecord } from '../wire/types/schema.ts';

/** Reads what the service publishes about itself: status, prices, limits, errors. Requests never carry credentials. */
export class Public {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /** Retrieves the status of the service. */
  status(query: StatusQuery = {}, options?: RequestOptions): RequestPromise<ServiceStatus> {
    return this.#get(endpoints.public.status, options, {
      query: () => queryString(query),
    });
  }

  /**
   * Retrieves the capabilities of the service. The service does not document the record, so any field can be absent.
   */
  capabilities(options?: RequestOptions): RequestPromise<Capabilities> {
    return this.#get(endpoints.public.capabilities, options);
  }

  /** Retrieves the catalog of error codes. The service does not document the record, so any field can be absent. */
  errors(options?: RequestOptions): RequestPromise<ErrorCatalog> {
    return this.#get(endpoints.public.errors, options);
  }

  /**
   * Retrieves one error code with its retry policy, example response and support guidance. The service does not
   * document the record, so any field can be absent.
   *
   * @throws {@link NotFoundError} if the code does not exist.
   */
  error(code: ErrorCode, options?: RequestOptions): RequestPromise<ErrorDetail> {
    return this.#get(endpoints.public.error, options, { values: { code } });
  }

  /**
   * Retrieves the changelog and migration notes. The service does not document the record, so any field can be absent.
   */
  changelog(options?: RequestOptions): RequestPromise<Changelog> {
    return this.#get(endpoints.public.changelog, options);
  }

  /**
   * Retrieves the pricing catalog, optionally for one model type. The service does not document the record, so any
   * field can be absent.
   */
  pricing(query: PricingQuery = {}, options?: RequestOptions): RequestPromise<PricingCatalog> {
    return this.#get(endpoints.public.pricing, options, {
      query: () => queryString(query),
    });
  }

  /**
   * Retrieves the concurrency tiers and the backoff policy. The service does not document the record, so any field can
   * be absent.
   */
  rateLimits(options?: RequestOptions): RequestPromise<RateLimitPolicy> {
    return this.#get(endpoints.public.rateLimits, options);
  }

  /** Retrieves the OpenAPI document of the service. */
  openapi(options?: RequestOptions): RequestPromise<OpenApiDocument> {
    return this.#get(endpoints.public.openapi, options);
  }

  #get<Result>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    details?: RequestDetails,
  ): RequestPromise<Result> {
    return requestJson(this.#context, withoutBody(endpoint, options, details), anyRecord);
  }
}
