import { isRecord } from '../../schemas/type-guards.ts';
import type { ExchangeSummary, MockRequest } from '../exchange.ts';
import type { MockResponse } from './response/response.ts';

/** Keeps the latest requests and reports each response to `onResponse`. */
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

  reportResponse(request: MockRequest, response: MockResponse, now: number): void {
    const charge = response.headers['x-svc-charge-usd'];
    const { method, path, requestId, headers } = request;
    this.#onResponse({
      method,
      path,
      status: response.status,
      requestId,
      ms: now - request.at,
      chargeUsd: charge === undefined ? undefined : Number(charge),
      idempotencyKey: headers['x-idempotency-key'] ?? headers['idempotency-key'],
      replay: response.headers['x-svc-idempotent-replay'] === 'true',
      stream: response.stream,
      code: response.status < 400 ? undefined : errorCodeIn(response),
    });
  }
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
