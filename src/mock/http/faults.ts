import type { Random } from '../random.ts';

/**
 * What shall go wrong, and for which requests. Without `times` it goes wrong until it is removed.
 */
export interface Fault {
  /**
   * Method and path as in the specification, such as `GET /v1/videos/{id}`; every request without
   * one.
   */
  route?: string | undefined;
  /** How often it happens. */
  times?: number | undefined;
  /** Only the nth request that matches, counted from 1 and from now; or several of them. */
  attempt?: number | readonly number[] | undefined;
  /** How likely it is, 0 to 1, decided by the seed. */
  probability?: number | undefined;

  /** Answered with this status and nothing is handled or charged. */
  status?: number | undefined;
  /**
   * The error's code; by default what the status stands for. Errors of the key balance have none,
   * and come in the usual envelope when they are given one.
   */
  code?: string | undefined;
  message?: string | undefined;
  /**
   * With a status: the request is handled and charged all the same, and only its answer is
   * replaced.
   */
  handled?: boolean | undefined;
  /** `Retry-After`: seconds, or any text. */
  retryAfter?: number | string | undefined;
  /** Put on the answer, whether or not it is an error; `null` takes a header away. */
  headers?: Record<string, string | null> | undefined;
  /** Answered with this body in place of the error envelope: an object as JSON, a text as it is. */
  body?: unknown;

  /** The connection is refused: nothing arrives, and nothing is recorded. */
  unreachable?: boolean | undefined;
  /** The connection drops before the request is handled, or after it was handled and charged. */
  reset?: 'before' | 'after' | undefined;
  /** Handled at once, answered after this clock time, holding its slot. */
  delayMs?: number | undefined;
  /** Handled, never answered: the slot is held until the client leaves. */
  stallHeaders?: boolean | undefined;
  /** Handled; the body stops after so many bytes and the connection stays open. */
  stallBody?: number | undefined;
  /** Handled; the connection drops after so many bytes of the body. */
  truncateBody?: number | undefined;
  /** Handled; the stream ends after so many data events. */
  cutStreamAfter?: number | undefined;
  /** How a cut stream ends. @defaultValue 'reset' */
  cut?: 'reset' | 'end' | undefined;
  /** Handled; after so many data events comes an error object, and the stream ends. */
  streamErrorAfter?: number | undefined;
  /** Handled, answered 200 with JSON that does not parse. */
  malformed?: boolean | undefined;
  /** The body comes in pieces of so many bytes. */
  splitBytes?: number | undefined;
}

/** A fault that was injected. */
export interface InjectedFault {
  /** How often it has happened. */
  readonly fired: number;
  /** Ends it. */
  remove(): void;
}

/** The faults that wait for their requests. */
export class Faults {
  readonly #pending: Pending[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault): InjectedFault {
    const pending = new Pending(fault);
    this.#pending.push(pending);
    return {
      get fired() {
        return pending.fired;
      },
      remove: () => {
        pending.over = true;
      },
    };
  }

  clear(): void {
    for (const pending of this.#pending.splice(0)) pending.over = true;
  }

  /**
   * The first fault that meets this request; each fault counts the request. One request meets one
   * fault.
   */
  take(method: string, path: string): Fault | undefined {
    let found: Fault | undefined;
    for (const pending of this.#pending) {
      if (!pending.sees(method, path) || found !== undefined) continue;
      if (pending.fires(this.#random)) found = pending.fault;
    }
    return found;
  }
}

class Pending {
  readonly fault: Fault;
  readonly #matches: (method: string, path: string) => boolean;
  #seen = 0;
  fired = 0;
  over = false;

  constructor(fault: Fault) {
    this.fault = fault;
    this.#matches = routeMatcher(fault.route);
  }

  /** Whether the request is one of those that the fault is about. */
  sees(method: string, path: string): boolean {
    if (this.over || !this.#matches(method, path)) return false;
    this.#seen += 1;
    return true;
  }

  /** Whether it happens to the request that was just seen. */
  fires(random: Random): boolean {
    const { times, attempt, probability } = this.fault;
    if (times !== undefined && this.fired >= times) return false;
    if (typeof attempt === 'number' && attempt !== this.#seen) return false;
    if (typeof attempt === 'object' && !attempt.includes(this.#seen)) return false;
    if (probability !== undefined && random() >= probability) return false;
    this.fired += 1;
    return true;
  }
}

/** `{any}` stands for one segment, `*` as the method for every method. */
function routeMatcher(route: string | undefined): (method: string, path: string) => boolean {
  if (route === undefined) return () => true;
  const words = route.trim().split(/\s+/);
  const template = words.at(-1) ?? '/';
  const method = words.length > 1 ? (words[0] ?? '*') : '*';
  const wanted = template.split('/');
  return (requestMethod, path) => {
    if (method !== '*' && method.toUpperCase() !== requestMethod) return false;
    const segments = path.split('/');
    if (segments.length !== wanted.length) return false;
    return wanted.every((part, index) => part.startsWith('{') || part === segments[index]);
  };
}
