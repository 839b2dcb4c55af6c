import type { ProxyRoute } from './routes.ts';

/** A request that is about to be passed on. */
export interface ProxyCall {
  /** What `authorize` gave. */
  readonly user: string;
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** The entry of `allow` that the request matches, such as `GET /v1/videos/{taskId}`. */
  readonly route: string;
  /** The path that the gateway will see, without the query. */
  readonly path: string;
  /** The task that it asks about, or that its answer names. */
  readonly taskId?: string | undefined;
  /** The material that it asks about, or that its answer names. */
  readonly materialId?: string | undefined;
}

/** What the gateway answered to a request. */
export interface ProxyAnswer extends ProxyCall {
  /** HTTP status of the gateway. */
  readonly status: number;
  /** What it cost, USD, where the gateway tells. Charged to your wallet, unless `replay`. */
  readonly chargeUsd?: number | undefined;
  /** Whether the idempotency key found an earlier task, and nothing was charged. */
  readonly replay: boolean;
  /** The gateway's id of the request. */
  readonly requestId?: string | undefined;
}

/** Options of {@link createProxyHandler}. */
export interface ProxyOptions {
  /** Your key, or what gives it for each request. It goes to `baseURL` and nowhere else. */
  apiKey: string | (() => string | Promise<string>);
  /** The gateway: `https://host.example`, as for the client. */
  baseURL: string;
  /**
   * Who asks: an id of the user that never changes, or null (or false) for a caller whom you do not know, who gets 401.
   * Look at a cookie or header as everywhere in your app, and leave the body unread. What it throws is answered with a
   * bare 500.
   *
   * The id separates the idempotency keys of your users. The gateway never sees it.
   */
  authorize: (request: Request) => string | null | false | Promise<string | null | false>;
  /**
   * The routes to pass on; everything else is answered with 404. Method and path template as in the specification, and
   * for a path that is not in it the query parameters too: `GET /v1/usage?from&to`.
   *
   * @defaultValue {@link defaultRoutes}: all but {@link ownerRoutes}
   */
  allow?: readonly ProxyRoute[] | undefined;
  /**
   * A last word on a request of a known user, without its body. False is answered with 403. Tell users apart with it:
   * to the gateway all of them are one key, so that whoever knows the id of a task or a material can use it.
   *
   * @defaultValue everything that `allow` names
   */
  permit?: ((call: ProxyCall) => boolean | Promise<boolean>) | undefined;
  /**
   * The models that may be asked for; others are answered with 403. They decide what a request can cost at most.
   *
   * @defaultValue every model of the key
   */
  models?: readonly string[] | undefined;
  /**
   * The origins of the pages that may ask, such as `https://app.example`. Name your own as well.
   *
   * @defaultValue only the origin that the proxy itself is on
   */
  origins?: readonly string[] | undefined;
  /**
   * Whether pages of other `origins` may send cookies.
   *
   * @defaultValue false
   */
  credentials?: boolean | undefined;
  /**
   * The path that the proxy is mounted at, as the request's URL has it: `/api/gateway`; empty when the framework has
   * taken it off. Only needed when it holds `/v1/`, or for routes that do not begin with `/v1/`.
   *
   * @defaultValue what stands before the first `/v1/`
   */
  basePath?: string | undefined;
  /**
   * The longest request body, bytes. Counted while it comes, whatever `content-length` says; longer is 413.
   *
   * @defaultValue 10485760 (10 MiB)
   */
  maxBodyBytes?: number | undefined;
  /**
   * Whether the page is told what a request cost. With false, `spend`, `budget` and `onCharge` of a client in the page
   * stay at nothing; `onResponse` is told in any case.
   *
   * @defaultValue true
   */
  exposeCharges?: boolean | undefined;
  /**
   * Called with each answer of the gateway, before the page gets it: to remember whose a task is, or to count what a user
   * spends. The page's answer waits for it.
   */
  onResponse?: ((answer: ProxyAnswer) => void | Promise<void>) | undefined;
  /**
   * Called with what a caller is not told: what a function of yours threw, and why the gateway could not be reached.
   *
   * @defaultValue nothing is reported
   */
  onError?: ((error: unknown) => void) | undefined;
  /**
   * Sends the requests to the gateway.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The vendor prefix of the gateway's headers, as for the client.
   *
   * @defaultValue 'x-svc-'
   */
  headerPrefix?: string | undefined;
  /**
   * The header that carries a request's id, as for the client.
   *
   * @defaultValue 'x-request-id'
   */
  requestIdHeader?: string | undefined;
  /**
   * Accepts a plain `http:` gateway beyond this machine, where others can read the key.
   *
   * @defaultValue false
   */
  allowInsecureBaseURL?: boolean | undefined;
}
