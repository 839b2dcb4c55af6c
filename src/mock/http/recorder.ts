import { isRecord } from '../../wire/types/type-guards.ts';
import type { ExchangeSummary, LostResponse, MockRequest } from '../gateway.ts';
import type { Fault } from './faults.ts';
import type { HandledRequest, MockResponse } from './response.ts';

/** What a summary reports in addition to the request. */
interface Result {
  handled?: HandledRequest | undefined;
  fault: Fault | undefined;
  /** The current time, in clock milliseconds. */
  now: number;
}

/** Keeps the latest requests and reports each result to `onResponse`. */
export class Recorder {
  readonly requests: MockRequest[] = [];
  readonly #history: number;
  readonly #onResponse: (exchange: ExchangeSummary) => void;

  constructor(history: number, onResponse: (exchange: ExchangeSummary) => void) {
    this.#history = history;
    this.#onResponse = onResponse;
  }

  recordRequest(request: MockRequest): void {
    this.requests.push(request);
    if (this.requests.length > this.#history) this.requests.shift();
  }

  /** Reports a response whose headers are sent now. */
  reportResponse(request: MockRequest, handled: HandledRequest, result: Result): void {
    const { response } = handled;
    this.#onResponse({
      ...summaryOf(request, { ...result, handled }),
      status: request.status,
      stream: response.stream,
      code: response.status < 400 ? undefined : errorCodeIn(response),
    });
  }

  /** Reports a request whose response does not reach the caller. */
  reportLost(request: MockRequest, lost: LostResponse, result: Result): void {
    this.#onResponse({ ...summaryOf(request, result), lost });
  }

  /** Reports a request that was never received. */
  reportRefused(method: string, path: string, fault: Fault): void {
    this.#onResponse({ ...emptySummary, method, path, lost: 'refused', fault });
  }
}

const emptySummary = {
  status: undefined,
  lost: undefined,
  requestId: '',
  ms: 0,
  chargeUsd: undefined,
  idempotencyKey: undefined,
  replay: false,
  stream: false,
  code: undefined,
};

function summaryOf(request: MockRequest, { handled, fault, now }: Result): ExchangeSummary {
  const { method, path, requestId, headers } = request;
  return {
    ...emptySummary,
    method,
    path,
    requestId,
    ms: now - request.at,
    chargeUsd: handled?.chargeUsd,
    idempotencyKey: headers['x-idempotency-key'] ?? headers['idempotency-key'],
    replay: handled?.replay ?? false,
    fault,
  };
}

/** Returns the error code in a body with the documented envelope. */
function errorCodeIn({ frames: [body] }: MockResponse): string | undefined {
  try {
    const record: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const error = isRecord(record) ? record.error : undefined;
    return isRecord(error) && typeof error.code === 'string' ? error.code : undefined;
  } catch {
    return undefined;
  }
}

/** Number of recent responses that the success rate covers. */
const windowSize = 100;

/** The success rate in percent below which the service reports itself as degraded. */
const degradedBelow = 95;

/** Tracks the success rate of recent responses. */
export class Health {
  readonly #latest: boolean[] = [];

  /** Records the status of a response. A status of 500 or above is a failure. */
  record(status: number): void {
    this.#latest.push(status < 500);
    if (this.#latest.length > windowSize) this.#latest.shift();
  }

  /** Percentage of successful responses, rounded to two decimals. */
  get successRate(): number {
    if (this.#latest.length === 0) return 100;
    const successes = this.#latest.filter(Boolean).length;
    return Math.round((successes / this.#latest.length) * 10_000) / 100;
  }

  get degraded(): boolean {
    return this.successRate < degradedBelow;
  }
}
