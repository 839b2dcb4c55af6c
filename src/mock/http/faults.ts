import { isRecord } from '../../wire/types/type-guards.ts';
import { checkNames } from '../option-names.ts';
import type { OptionNames } from '../option-names.ts';
import type { Random } from '../random.ts';
import type { IncomingRequest } from './incoming.ts';

/** A request, as a fault is matched with it. */
export interface FaultRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path as sent, without the query string. */
  readonly path: string;
  /** The query string including its `?`; empty if there is none. */
  readonly search: string;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, or its text if it is not valid JSON; undefined if there is no body. */
  readonly body: unknown;
}

/** A failure to inject, and the requests that it affects. It stays active until removed unless `times` is set. */
export interface Fault {
  /**
   * Method and path as in the specification, such as `GET /v1/videos/{id}`. Applies to every request
   * if omitted.
   */
  route?: string | undefined;
  /** Id of a model: affects only requests whose body names it. */
  model?: string | undefined;
  /** Affects only requests for which this returns true. It is called if the route and the model match. */
  when?: ((request: FaultRequest) => boolean) | undefined;
  /** Maximum number of requests that the fault affects. */
  times?: number | undefined;
  /**
   * Affects only the nth matching request, or several of them. Requests are counted from 1, starting when the fault is
   * injected.
   */
  attempt?: number | readonly number[] | undefined;
  /** Probability from 0 to 1 that a matching request is affected. The gateway's `seed` determines which ones are. */
  probability?: number | undefined;

  /** Responds with this status. The request is neither handled nor charged. */
  status?: number | undefined;
  /**
   * The error code; by default, the usual code of the status. Errors of the key balance endpoint have
   * no code: setting one selects the standard error envelope.
   */
  code?: string | undefined;
  /** The error message; by default, one that matches the status. */
  message?: string | undefined;
  /** With `status`, `code` or `body`: the request is still handled and charged; only its response is replaced. */
  handled?: boolean | undefined;
  /** The `Retry-After` header: seconds, or any text. Only with `status`, `code` or `body`. */
  retryAfter?: number | string | undefined;
  /** Headers to set on the response, successful or not; `null` removes a header. */
  headers?: Record<string, string | null> | undefined;
  /** Responds with this body instead of the error envelope: an object as JSON, a string unchanged. */
  body?: unknown;

  /** Refuses the connection: the request is neither received nor recorded. */
  unreachable?: boolean | undefined;
  /** Drops the connection before the request is handled, or after it was handled and charged. */
  reset?: 'before' | 'after' | undefined;
  /** Handles the request immediately but delays the response, in clock milliseconds. It holds its slot until then. */
  delayMs?: number | undefined;
  /** Handles the request but never responds: the slot is held until the client disconnects. */
  stallHeaders?: boolean | undefined;
  /** Handles the request, sends this many bytes of the response body and then stalls with the connection open. */
  stallBody?: number | undefined;
  /** Handles the request and drops the connection after this many bytes of the response body. */
  truncateBody?: number | undefined;
  /** Handles the request and ends the event stream after this many data events. */
  cutStreamAfter?: number | undefined;
  /** How `cutStreamAfter` ends the stream. @defaultValue 'reset' */
  cut?: 'reset' | 'end' | undefined;
  /** Handles the request and ends the event stream with an error object after this many data events. */
  streamErrorAfter?: number | undefined;
  /** Handles the request and responds with status 200 and invalid JSON. */
  malformed?: boolean | undefined;
  /** Splits the response body into chunks of this many bytes. */
  splitBytes?: number | undefined;
}

const faultNames: OptionNames<Fault> = {
  route: true,
  model: true,
  when: true,
  times: true,
  attempt: true,
  probability: true,
  status: true,
  code: true,
  message: true,
  handled: true,
  retryAfter: true,
  headers: true,
  body: true,
  unreachable: true,
  reset: true,
  delayMs: true,
  stallHeaders: true,
  stallBody: true,
  truncateBody: true,
  cutStreamAfter: true,
  cut: true,
  streamErrorAfter: true,
  malformed: true,
  splitBytes: true,
};

/** An injected fault. */
export interface InjectedFault {
  /** Number of requests that it has affected. */
  readonly affectedRequests: number;
  /** Removes the fault. */
  remove(): void;
}

/** All injected faults. */
export class Faults {
  readonly #active: ActiveFault[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault): InjectedFault {
    checkNames(fault, faultNames);
    const active = new ActiveFault(fault);
    this.#active.push(active);
    return {
      get affectedRequests() {
        return active.affectedRequests;
      },
      remove: () => {
        active.removed = true;
      },
    };
  }

  clear(): void {
    for (const active of this.#active.splice(0)) active.removed = true;
  }

  /** Whether the body of a request decides if a fault affects it. */
  dependOnBody({ method, url }: IncomingRequest): boolean {
    return this.#active.some((active) => active.dependsOnBody(method, url.pathname));
  }

  /**
   * Returns the fault that affects this request, if any: the oldest if several match. Every fault
   * with a matching route, model and predicate counts the request.
   */
  take({ method, url, headers }: IncomingRequest, body: unknown): Fault | undefined {
    const { pathname: path, search } = url;
    const request = { method, path, search, headers, body };
    let taken: Fault | undefined;
    for (const active of this.#active) {
      if (!active.count(request) || taken !== undefined) continue;
      if (active.fire(this.#random)) taken = active.fault;
    }
    return taken;
  }
}

class ActiveFault {
  readonly fault: Fault;
  readonly #matches: (method: string, path: string) => boolean;
  /** Number of matching requests so far. */
  #matched = 0;
  affectedRequests = 0;
  removed = false;

  constructor(fault: Fault) {
    this.fault = fault;
    this.#matches = routeMatcher(fault.route);
  }

  dependsOnBody(method: string, path: string): boolean {
    const { model, when } = this.fault;
    const isLimited = model !== undefined || when !== undefined;
    return isLimited && !this.removed && this.#matches(method, path);
  }

  /** Counts the request if its route and model match, and its predicate. Returns whether they do. */
  count({ headers, ...request }: Omit<FaultRequest, 'headers'> & { headers: Headers }): boolean {
    const { method, path, body } = request;
    if (this.removed || !this.#matches(method, path)) return false;
    const { model, when } = this.fault;
    if (model !== undefined && !(isRecord(body) && body.model === model)) return false;
    if (when && !when({ ...request, headers: Object.fromEntries(headers) })) return false;
    this.#matched += 1;
    return true;
  }

  /** Decides whether the fault affects the request that was counted last. */
  fire(random: Random): boolean {
    const { times, attempt, probability } = this.fault;
    if (times !== undefined && this.affectedRequests >= times) return false;
    if (typeof attempt === 'number' && attempt !== this.#matched) return false;
    if (typeof attempt === 'object' && !attempt.includes(this.#matched)) return false;
    if (probability !== undefined && random() >= probability) return false;
    this.affectedRequests += 1;
    return true;
  }
}

/** Creates a function that matches a route: `{name}` matches any one segment, the method `*` any method. */
function routeMatcher(route: string | undefined): (method: string, path: string) => boolean {
  if (route === undefined) return () => true;
  const words = route.trim().split(/\s+/);
  const template = words.at(-1) ?? '/';
  const method = words.length > 1 ? (words[0] ?? '*') : '*';
  const expected = template.split('/');
  return (requestMethod, path) => {
    if (method !== '*' && method.toUpperCase() !== requestMethod) return false;
    const segments = path.split('/');
    if (segments.length !== expected.length) return false;
    return expected.every((part, index) => part.startsWith('{') || part === segments[index]);
  };
}
