import { isRecord } from '../../wire/types/type-guards.ts';
import { checkNames } from '../option-names.ts';
import type { OptionNames } from '../option-names.ts';
import type { Random } from '../random.ts';
import type { Fault, FaultRequest } from './fault.ts';
import type { IncomingRequest } from './incoming.ts';

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
