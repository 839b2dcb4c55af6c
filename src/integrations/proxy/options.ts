import type { Outcome } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import type { UserLimits } from './limits/user-limits.ts';
import type { ProxyRoute } from './routes.ts';
import type { Store } from './store/store.ts';

/** A request that the proxy is about to forward. */
export interface ProxyCall {
  /** The user id that `authorize` returned. */
  readonly user: string;
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** The matching entry of `allow`, such as `GET /v1/videos/{taskId}`. */
  readonly route: string;
  /** The path that is sent to the gateway, without the query. */
  readonly path: string;
  /** The task id in the path or, in a {@link ProxyResponse}, in the response. */
  readonly taskId?: string | undefined;
  /** The material id in the path or, in a {@link ProxyResponse}, in the response. */
  readonly materialId?: string | undefined;
  /** The `model` of the body, as the page sent it. Only `models` limits what it can be. */
  readonly model?: string | undefined;
  /** The hash of the user id and the page's idempotency key, which is what the gateway receives as the key. */
  readonly keyHash?: string | undefined;
  /** What `limits` reserves for the request, in USD; undefined without limits. */
  readonly reservedUsd?: number | undefined;
}

/** The outcome of a forwarded request: the gateway's response, or the lack of one. */
export interface ProxyResponse extends ProxyCall {
  /** HTTP status of the gateway's response; undefined if none arrived. */
  readonly status: number | undefined;
  /**
   * `accepted` by the gateway with a status below 300, or whether it may still have been charged: `rejected` and
   * `not-sent` requests were not, and `unknown` ones may have been.
   */
  readonly outcome: 'accepted' | Outcome;
  /** The charge in USD, if the gateway reported one. It is charged to your account unless `replay` is true. */
  readonly chargeUsd?: number | undefined;
  /** Whether the idempotency key matched an earlier request, so that nothing was charged again. */
  readonly replay: boolean;
  /** The gateway's request id. */
  readonly requestId?: string | undefined;
}

/** Options of {@link createProxyHandler}. */
export interface ProxyOptions {
  /** Your API key, or a function that returns it and is called for each request. The key is sent only to `baseURL`. */
  apiKey: string | (() => string | Promise<string>);
  /** Origin of the gateway, such as `https://host.example`, as in the client's options. */
  baseURL: string;
  /**
   * Identifies the user who sends a request. Return a stable user id, or null (or false) for an unknown caller, who
   * gets a 401. Check a cookie or header as you do elsewhere in your app, and do not read the body. If the function
   * throws, the caller gets a 500 without details.
   *
   * The id is used to keep the idempotency keys of your users separate. It is never sent to the gateway.
   */
  authorize: (request: Request) => string | null | false | Promise<string | null | false>;
  /**
   * The routes to forward; any other request gets a 404. Write the method and path template as in the specification.
   * For an undocumented path, add its query parameters: `GET /v1/usage?from&to`.
   *
   * @defaultValue {@link defaultRoutes}: every documented route except {@link ownerRoutes}
   */
  allow?: readonly ProxyRoute[] | undefined;
  /**
   * Decides whether a known user may send a request; it is called after the body was read, and before anything is sent
   * or reserved. Return false to respond with a 403.
   *
   * @defaultValue every request that matches `allow`
   */
  permit?: ((call: ProxyCall) => boolean | Promise<boolean>) | undefined;
  /**
   * Ids of the models that pages may use; a request for another model gets a 403. This limits what one request can
   * cost. The body of a POST must then name its model, except where the specification has none (voices and materials),
   * and must be unambiguous: a repeated field, `MODEL`, or a model in `extra_body` gets a 400. Only bodies are checked,
   * not the path or query of a route that you add.
   *
   * @defaultValue every model available to the key
   */
  models?: readonly string[] | undefined;
  /**
   * What each user may spend and send, or an async function of the user and the request that returns it (undefined: no
   * limits). A request above a limit gets the error `user_limit_exceeded`, with status 402 for `usd` and 429 for the
   * others, and is not sent. The price of a paid POST is reserved before it is forwarded, in one step, so parallel
   * requests cannot exceed the limit together.
   *
   * With limits, a body gets a 400 if it repeats a field, or sets a field that determines the price in a way that
   * services could read differently.
   *
   * @defaultValue no limits
   */
  limits?:
    | UserLimits
    | ((user: string, request: Request) => UserLimits | undefined | Promise<UserLimits | undefined>)
    | undefined;
  /**
   * The path at which a page gets what is left of its user's `limits`, as a `UserBudget`: the whole path, as it
   * appears in the request URL, such as `/api/gateway/budget`. The proxy responds to a GET there itself, also if a route
   * has the same path. `permit` and `onResponse` are not called.
   *
   * @defaultValue no path
   */
  budgetPath?: string | undefined;
  /**
   * What happens to a task without a listed price while `limits.usd` is set: a 403, or a reservation of `chatUsd`.
   *
   * @defaultValue 'refuse'
   */
  unpriced?: 'refuse' | 'allow' | undefined;
  /**
   * Keeps users apart: to the gateway, all of them share one API key. The proxy then records who owns each task,
   * material and voice that passes, responds with a 404 for those of other users, including those named in bodies, and
   * removes them from lists. In a body, it finds an id that is a whole text, a field name, a value in JSON in a string, or a
   * delimited word in a longer text; in prose, it does not find one of letters only, or with spaces.
   *
   * @defaultValue false
   */
  isolate?: boolean | undefined;
  /**
   * What `isolate` does with tasks, materials and voices without an owner, such as those from before it was set.
   *
   * @defaultValue 'refuse'
   */
  unowned?: 'refuse' | 'allow' | undefined;
  /**
   * Where spending, owners and the attempts of browsers are stored. With more than one process, use `redisStore` of
   * `polygate/proxy/redis`.
   *
   * @defaultValue {@link memoryStore}, in the memory of this process
   */
  store?: Store | undefined;
  /**
   * What happens to a POST if the store fails while it is needed: a 503, or it is forwarded without limits. A
   * request that `isolate` must check always gets a 503.
   *
   * @defaultValue 'refuse'
   */
  onStoreError?: 'refuse' | 'allow' | undefined;
  /**
   * Origins of the pages that may send requests, such as `https://app.example`. If you set this, include your own
   * origin.
   *
   * @defaultValue only the proxy's own origin
   */
  origins?: readonly string[] | undefined;
  /**
   * Whether pages on other `origins` may send cookies.
   *
   * @defaultValue false
   */
  credentials?: boolean | undefined;
  /**
   * The path where the proxy is mounted, as it appears in the request URL: `/api/gateway`, or empty if the framework
   * removes it. Required only if the path contains `/v1/` or `allow` has routes that do not begin with `/v1/`.
   *
   * @defaultValue the part of the path before the first `/v1/`
   */
  basePath?: string | undefined;
  /**
   * Maximum size of a request body in bytes; a larger body gets a 413. The received bytes are counted; `content-length`
   * is ignored.
   *
   * @defaultValue 10,485,760 (10 MiB)
   */
  maxBodyBytes?: number | undefined;
  /**
   * Whether pages can see what a request costs. If false, a client in the page sees no charges, so its `spend`,
   * `budget` and `onCharge` do not count them; `onResponse` still reports them.
   *
   * @defaultValue true
   */
  exposeCharges?: boolean | undefined;
  /**
   * Called once for each forwarded request, with the gateway's response or the lack of one. The page receives the
   * response after the returned promise settles. An error thrown here is reported to `onError`.
   */
  onResponse?: ((response: ProxyResponse) => void | Promise<void>) | undefined;
  /**
   * Called with errors whose details are hidden from the caller: errors thrown by your own functions, and failed
   * requests to the gateway.
   *
   * @defaultValue errors are not reported
   */
  onError?: ((error: unknown) => void) | undefined;
  /**
   * The `fetch` function used for requests to the gateway.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Vendor prefix of the gateway's response headers, as in the client's options.
   *
   * @defaultValue 'x-svc-'
   */
  headerPrefix?: string | undefined;
  /**
   * Name of the header that carries the request id, as in the client's options.
   *
   * @defaultValue 'x-request-id'
   */
  requestIdHeader?: string | undefined;
  /**
   * Accepts plain `http:` for hosts other than loopback. Anyone on the network path can then read the API key.
   *
   * @defaultValue false
   */
  allowInsecureBaseURL?: boolean | undefined;
}

/** Whether a value can be sent as the bearer token. */
export const isApiKey = (key: unknown): key is string =>
  typeof key === 'string' && /^[\u0021-\u007e\u0080-\u00ff]+$/.test(key);

/** Returns the API key, or calls the function that returns it. */
export async function resolveApiKey({ apiKey }: Pick<ProxyOptions, 'apiKey'>): Promise<string> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (isApiKey(key)) return key;
  throw new ConfigurationError(
    'apiKey: the function must return a non-empty string without spaces.',
  );
}
