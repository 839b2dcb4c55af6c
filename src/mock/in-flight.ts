import { unchecked } from '../wire/types/schema.ts';

/** The `fetch` function of a client. */
type Fetch = typeof globalThis.fetch;

/** A request at the gateway, from its arrival until its response has been handed over. */
export interface Visit {
  /** Called when the gateway begins to wait for time to pass. Until anything is sent, it does. */
  wait(): void;
  /** Called when a part of the response is handed over: it now takes real time until the client has it. */
  send(part: Part): void;
  /** Called when the response is complete or lost. */
  leave(): void;
}

type Part = 'headers' | 'body';

/** How long a request may be in flight outside the gateway before time passes regardless, in pauses of the clock. */
const fullPatience = 1500;
/** The same after a request has used it up, until a response arrives: such requests rarely come alone. */
const shortPatience = 150;

/** A request of a client. It counts while its response, or a read of its body, is pending. */
interface ClientRequest {
  readonly name: string;
  readonly startedAt: number;
  /** When the client last received a part of the response. */
  readonly receivedAt: { [Name in Part]: number };
  pending: number;
  /** Whether it was aborted, or has used up the patience: it never counts again. */
  isIgnored: boolean;
}

interface GatewayRequest {
  readonly arrivedAt: number;
  /** The last part that was sent, and when. */
  sent: { readonly part: Part; readonly at: number } | undefined;
  isWaiting: boolean;
}

/**
 * The requests of all clients with a virtual clock, and those at its gateway. Time may pass while each client waits for
 * a gateway that waits for time itself, but not while a request or response is on its way, which takes real time.
 *
 * Requests carry no mark that a server between client and gateway would keep, so a request of a client and one at the
 * gateway belong together if the order of events permits it.
 */
export class InFlight {
  /** How many pauses of the clock a request may be in flight outside the gateway. */
  patience = fullPatience;
  /** Counts everything that happens. It is the time of all events here. */
  changes = 0;
  readonly #pending = new Set<ClientRequest>();
  readonly #visits = new Set<GatewayRequest>();
  readonly #watched = new WeakSet<object>();
  #isStarting = false;

  /** Wraps a `fetch` function so that its requests are counted. */
  watchFetch(fetch: Fetch): Fetch {
    if (this.#watched.has(fetch)) return fetch;
    const watched: Fetch = async (input, init) => {
      // A function around another one that is watched makes the same request.
      if (this.#isStarting) return fetch(input, init);
      const { method, url, signal } = describe(input, init);
      this.changes += 1;
      const request: ClientRequest = {
        name: `${method} ${url}`,
        startedAt: this.changes,
        receivedAt: { headers: 0, body: 0 },
        pending: 0,
        isIgnored: false,
      };
      // A function that does not heed the signal may never respond.
      signal?.addEventListener('abort', () => this.#ignore(request), { once: true });
      const response = await this.#await(request, 'headers', this.#start(fetch, input, init));
      return this.#watchBody(request, response);
    };
    this.#watched.add(watched);
    return watched;
  }

  /** Records that the gateway has received a request completely. */
  arrive(): Visit {
    this.changes += 1;
    const visit: GatewayRequest = { arrivedAt: this.changes, sent: undefined, isWaiting: true };
    this.#visits.add(visit);
    return {
      wait: () => {
        this.changes += 1;
        visit.isWaiting = true;
      },
      send: (part) => {
        this.changes += 1;
        visit.isWaiting = false;
        visit.sent = { part, at: this.changes };
      },
      leave: () => {
        this.changes += 1;
        this.#visits.delete(visit);
      },
    };
  }

  /** The requests that are in flight outside the gateway, or whose response is. */
  outside(): ClientRequest[] {
    if (this.#pending.size === 0) return [];
    // The newest first: an older request could also belong to a later arrival.
    const visits = [...this.#visits].filter(({ isWaiting }) => isWaiting).toReversed();
    const requests = [...this.#pending].toSorted((one, other) => other.startedAt - one.startedAt);
    return requests.filter((request) => {
      const index = visits.findIndex((visit) => waitsFor(request, visit));
      if (index >= 0) visits.splice(index, 1);
      return index < 0;
    });
  }

  /** Ignores the requests that are outside the gateway from now on, and returns their methods and URLs. */
  giveUp(): string[] {
    const requests = this.outside();
    for (const request of requests) this.#ignore(request);
    this.patience = shortPatience;
    return requests.map(({ name }) => name);
  }

  #start(fetch: Fetch, ...request: Parameters<Fetch>): Promise<Response> {
    this.#isStarting = true;
    try {
      return fetch(...request);
    } finally {
      this.#isStarting = false;
    }
  }

  #ignore(request: ClientRequest): void {
    this.changes += 1;
    request.isIgnored = true;
    this.#pending.delete(request);
  }

  async #await<Value>(request: ClientRequest, part: Part, result: Promise<Value>): Promise<Value> {
    request.pending += 1;
    if (!request.isIgnored) this.#pending.add(request);
    try {
      const value = await result;
      if (!request.isIgnored) this.patience = fullPatience;
      return value;
    } finally {
      this.changes += 1;
      request.receivedAt[part] = this.changes;
      request.pending -= 1;
      if (request.pending === 0) this.#pending.delete(request);
    }
  }

  /** Counts the reads of a body. The response remains the same object. */
  #watchBody(request: ClientRequest, response: Response): Response {
    if (Object.hasOwn(response, 'body')) return response;
    const prototype = unchecked<object>(Object.getPrototypeOf(response));
    const clone = methodOf(response, 'clone');
    return Object.defineProperties(response, {
      [directResponse]: { value: undefined },
      // `clone` replaces it.
      body: {
        get: () => this.#watchStream(request, unchecked(Reflect.get(prototype, 'body', response))),
      },
      clone: { value: () => this.#watchBody(request, unchecked<Response>(clone())) },
    });
  }

  #watchStream(request: ClientRequest, stream: ReadableStream | null): ReadableStream | null {
    if (stream === null || this.#watched.has(stream)) return stream;
    this.#watched.add(stream);
    const getReader = methodOf(stream, 'getReader');
    return Object.defineProperty(stream, 'getReader', {
      value: (...options: unknown[]) => {
        const reader = unchecked<object>(getReader(...options));
        const read = methodOf(reader, 'read');
        return Object.defineProperty(reader, 'read', {
          value: (...buffers: unknown[]) =>
            this.#await(request, 'body', unchecked<Promise<unknown>>(read(...buffers))),
        });
      },
    });
  }
}

/** A way around `body` that responses of `nodeFetch` have, which cannot be watched. */
const directResponse = Symbol.for('polygate.direct-response');

/** Whether a request may be the one that waits at the gateway: it has received everything that was sent. */
function waitsFor({ startedAt, receivedAt }: ClientRequest, visit: GatewayRequest): boolean {
  const { arrivedAt, sent } = visit;
  return arrivedAt > startedAt && (sent === undefined || receivedAt[sent.part] > sent.at);
}

function describe(input: RequestInfo | URL, init: RequestInit | undefined) {
  const request = typeof input === 'string' || input instanceof URL ? undefined : input;
  return {
    method: init?.method ?? request?.method ?? 'GET',
    url: input instanceof URL ? input.href : (request?.url ?? unchecked<string>(input)),
    signal: init?.signal ?? request?.signal,
  };
}

/** The method of an object, to call after it has been replaced. */
function methodOf(object: object, name: string): (...args: unknown[]) => unknown {
  const method = unchecked<() => unknown>(Reflect.get(object, name));
  return (...args) => unchecked<unknown>(Reflect.apply(method, object, args));
}
