import { isRecord } from '../../schemas/record.ts';
import type { MockResponse } from './response/response.ts';
import type { ExchangeSummary, MockRequest } from '../records.ts';

/** Keeps what was asked, and tells what was answered. */
export class Recorder {
  readonly requests: MockRequest[] = [];
  readonly #history: number;
  readonly #onResponse: (reportResponse: ExchangeSummary) => void;

  constructor(history: number, onResponse: (answered: ExchangeSummary) => void) {
    this.#history = history;
    this.#onResponse = onResponse;
  }

  recordRequest(request: MockRequest): void {
    this.requests.push(request);
    if (this.requests.length > this.#history) this.requests.shift();
  }

  answered(request: MockRequest, answer: MockResponse, now: number): void {
    const charge = answer.headers['x-svc-charge-usd'];
    const { method, path, requestId, headers } = request;
    this.#onResponse({
      method,
      path,
      status: answer.status,
      requestId,
      ms: now - request.at,
      chargeUsd: charge === undefined ? undefined : Number(charge),
      idempotencyKey: headers['x-idempotency-key'] ?? headers['idempotency-key'],
      replay: answer.headers['x-svc-idempotent-replay'] === 'true',
      stream: answer.stream,
      code: answer.status < 400 ? undefined : codeIn(answer),
    });
  }
}

/** The code of an error in the documented envelope. */
function codeIn({ frames: [body] }: MockResponse): string | undefined {
  try {
    const record: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const error = isRecord(record) ? record.error : undefined;
    return isRecord(error) && typeof error.code === 'string' ? error.code : undefined;
  } catch {
    return undefined;
  }
}
