import { groupAttempts, isOpen } from '../shared/calls.ts';
import type { Attempt, Exchange } from '../shared/lab.ts';
import { observeStream } from './observe-stream.ts';
import { BodyCollector } from './recorded-body.ts';
import type { Redact } from './recorded-body.ts';
import { createRedact, redactHeaders } from './redact.ts';

const maxCalls = 60;

/** An attempt and what was sent and received. */
interface Recording {
  attempt: Attempt;
  exchange: Exchange;
}

/**
 * Records every request to the gateway and its outcome. It sits in front of the gateway, so it observes retries too.
 */
export class Recorder {
  readonly #onChange: () => void;
  readonly #redact: Redact;
  readonly #recordings = new Map<number, Recording>();
  #count = 0;

  constructor(onChange: () => void, apiKey = '') {
    this.#onChange = onChange;
    this.#redact = createRedact(apiKey);
  }

  /** All attempts, in order. */
  get attempts(): Attempt[] {
    return Array.from(this.#recordings.values(), ({ attempt }) => attempt);
  }

  /** What was sent and received in an attempt. */
  exchange(number: number): Exchange | undefined {
    return this.#recordings.get(number)?.exchange;
  }

  /** Removes the attempts that have ended. */
  clear(): void {
    for (const attempt of this.attempts) {
      if (!isOpen(attempt)) this.#recordings.delete(attempt.number);
    }
    this.#onChange();
  }

  /** Wraps a `fetch` so that its requests are recorded. */
  record(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const recording = this.#add(new Request(input).url, init);
      const { attempt, exchange } = recording;
      const update = (changes: Partial<Attempt>) => {
        Object.assign(attempt, changes, { ms: Date.now() - attempt.at });
        this.#forget(recording);
        this.#onChange();
      };
      try {
        const response = await fetch(input, init);
        exchange.responseHeaders = redactHeaders(response.headers, this.#redact);
        const body = new BodyCollector(response.headers.get('content-type'), this.#redact);
        update({ ...readHeaders(response, attempt), headersMs: Date.now() - attempt.at });
        return observeStream(response, init?.signal, {
          onChunk: body.add,
          onEnd: (state) => {
            exchange.responseBody = body.toBody();
            const { resourceId = response.ok ? body.materialId : undefined } = attempt;
            update({ state, resourceId, code: response.ok ? undefined : body.errorCode });
          },
        });
      } catch (error) {
        exchange.failure = this.#redact(describe(error));
        update({ state: init?.signal?.aborted === true ? 'aborted' : 'lost' });
        throw error;
      }
    };
  }

  #add(url: string, init: RequestInit = {}): Recording {
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
      resourceId: /\/([^/]*_[^/]+)$/.exec(pathname)?.[1],
      state: 'pending',
      replay: false,
    };
    const exchange: Exchange = {
      url: this.#redact(url),
      requestHeaders: redactHeaders(headers, this.#redact),
      requestBody: this.#readBody(init.body, headers.get('content-type')),
    };
    const recording = { attempt, exchange };
    this.#recordings.set(attempt.number, recording);
    this.#onChange();
    return recording;
  }

  #readBody(body: RequestInit['body'], contentType: string | null): Exchange['requestBody'] {
    const collector = new BodyCollector(contentType, this.#redact);
    if (typeof body === 'string') collector.add(new TextEncoder().encode(body));
    else if (body instanceof Uint8Array) collector.add(body);
    else return undefined;
    return collector.toBody();
  }

  /** Forgets reads that succeeded and belong to no call, and the oldest calls with all their attempts. */
  #forget({ attempt }: Recording): void {
    const { attempts } = this;
    const calls = groupAttempts(attempts);
    const isShown = calls.some((call) => [...call.attempts, ...call.polls].includes(attempt));
    if (attempt.state === 'completed' && !isShown) this.#recordings.delete(attempt.number);
    for (const call of calls.slice(maxCalls)) {
      for (const { number } of [...call.attempts, ...call.polls]) this.#recordings.delete(number);
    }
  }
}

function readHeaders(response: Response, attempt: Attempt): Partial<Attempt> {
  const { status, headers } = response;
  const charge = Number.parseFloat(headers.get('x-svc-charge-usd') ?? '');
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return {
    state: isStream ? 'streaming' : 'pending',
    status,
    requestId: attempt.requestId ?? headers.get('x-request-id') ?? undefined,
    resourceId: headers.get('x-svc-task-id') ?? attempt.resourceId,
    reportedUsd: Number.isFinite(charge) ? charge : undefined,
    replay: headers.get('x-svc-idempotent-replay') === 'true',
  };
}

/** The messages of an error and of its causes. */
function describe(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current.message !== '') messages.push(current.message);
  }
  return messages.join(': ');
}
