import type { Attempt } from '../shared/lab.ts';
import { watchBody } from './watch-body.ts';

/** How many attempts are kept. */
const kept = 400;

/** Writes down every request to the gateway and how it went: between the proxy and the network, so nothing is missed. */
export class Recorder {
  readonly attempts: Attempt[] = [];
  readonly #changed: () => void;
  #count = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** A `fetch` that is watched. */
  watch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const attempt = this.#begin(new Request(input).url, init);
      const note = (changes: Partial<Attempt>) => {
        Object.assign(attempt, changes, { ms: Date.now() - attempt.at });
        this.#changed();
      };
      try {
        const response = await fetch(input, init);
        note({ ...readHeaders(response), thing: await thingIn(response, attempt) });
        return watchBody(response, init?.signal, (state) => note({ state }));
      } catch (error) {
        note({ state: init?.signal?.aborted === true ? 'left' : 'lost' });
        throw error;
      }
    };
  }

  #begin(url: string, init: RequestInit = {}): Attempt {
    const headers = new Headers(init.headers);
    const { pathname } = new URL(url);
    this.#count += 1;
    const attempt: Attempt = {
      number: this.#count,
      at: Date.now(),
      method: init.method ?? 'GET',
      path: pathname,
      key: headers.get('x-idempotency-key') ?? headers.get('idempotency-key') ?? undefined,
      call: headers.get('x-request-id') ?? undefined,
      state: 'waiting',
      replay: false,
    };
    this.attempts.push(attempt);
    if (this.attempts.length > kept) this.attempts.shift();
    this.#changed();
    return attempt;
  }
}

function readHeaders({ status, headers }: Response): Partial<Attempt> {
  const charge = Number.parseFloat(headers.get('x-svc-charge-usd') ?? '');
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return {
    state: isStream ? 'streaming' : 'answered',
    status,
    chargeUsd: Number.isFinite(charge) ? charge : undefined,
    replay: headers.get('x-svc-idempotent-replay') === 'true',
  };
}

/** The task or material that an attempt is about: named by its path, by a header, or by the body of a new material. */
async function thingIn(response: Response, attempt: Attempt): Promise<string | undefined> {
  const { method, path } = attempt;
  if (method !== 'POST') return /\/([^/]*_[^/]+)$/.exec(path)?.[1];
  if (path !== '/v1/materials' || !response.ok) {
    return response.headers.get('x-svc-task-id') ?? undefined;
  }
  return /"id":\s*"(mat_[^"]+)"/.exec(await response.clone().text())?.[1];
}
