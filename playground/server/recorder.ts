import type { Attempt } from '../shared/lab.ts';
import { observeStream } from './observe-stream.ts';

const maxAttempts = 400;

/**
 * Records every request to the gateway and its outcome. It sits between proxy and gateway, so it observes retries too.
 */
export class Recorder {
  readonly attempts: Attempt[] = [];
  readonly #onChange: () => void;
  #count = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Wraps a `fetch` so that its requests are recorded. */
  record(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const attempt = this.#add(new Request(input).url, init);
      const update = (changes: Partial<Attempt>) => {
        Object.assign(attempt, changes, { ms: Date.now() - attempt.at });
        this.#onChange();
      };
      try {
        const response = await fetch(input, init);
        update({ ...readHeaders(response), resourceId: await readResourceId(response, attempt) });
        return observeStream(response, init?.signal, (state) => update({ state }));
      } catch (error) {
        update({ state: init?.signal?.aborted === true ? 'aborted' : 'lost' });
        throw error;
      }
    };
  }

  #add(url: string, init: RequestInit = {}): Attempt {
    const headers = new Headers(init.headers);
    const { pathname } = new URL(url);
    this.#count += 1;
    const attempt: Attempt = {
      number: this.#count,
      at: Date.now(),
      method: init.method ?? 'GET',
      path: pathname,
      key: headers.get('x-idempotency-key') ?? headers.get('idempotency-key') ?? undefined,
      requestId: headers.get('x-request-id') ?? undefined,
      state: 'pending',
      replay: false,
    };
    this.attempts.push(attempt);
    if (this.attempts.length > maxAttempts) this.attempts.shift();
    this.#onChange();
    return attempt;
  }
}

function readHeaders({ status, headers }: Response): Partial<Attempt> {
  const charge = Number.parseFloat(headers.get('x-svc-charge-usd') ?? '');
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return {
    state: isStream ? 'streaming' : 'completed',
    status,
    chargeUsd: Number.isFinite(charge) ? charge : undefined,
    replay: headers.get('x-svc-idempotent-replay') === 'true',
  };
}

/** The id of the task or material: from the path, a response header, or the body of a new material. */
async function readResourceId(response: Response, attempt: Attempt): Promise<string | undefined> {
  const { method, path } = attempt;
  if (method !== 'POST') return /\/([^/]*_[^/]+)$/.exec(path)?.[1];
  if (path !== '/v1/materials' || !response.ok) {
    return response.headers.get('x-svc-task-id') ?? undefined;
  }
  return /"id":\s*"(mat_[^"]+)"/.exec(await response.clone().text())?.[1];
}
