import type { Answer } from './answer.ts';
import type { Answered, MockRequest } from './records.ts';

/** Keeps what was asked, and tells what was answered. */
export class Recorder {
  readonly requests: MockRequest[] = [];
  readonly #history: number;
  readonly #onAnswer: (answered: Answered) => void;

  constructor(history: number, onAnswer: (answered: Answered) => void) {
    this.#history = history;
    this.#onAnswer = onAnswer;
  }

  received(request: MockRequest): void {
    this.requests.push(request);
    if (this.requests.length > this.#history) this.requests.shift();
  }

  answered(request: MockRequest, answer: Answer, now: number): void {
    const charge = answer.headers['x-svc-charge-usd'];
    const { method, path, requestId } = request;
    this.#onAnswer({
      method,
      path,
      status: answer.status,
      requestId,
      ms: now - request.at,
      chargeUsd: charge === undefined ? undefined : Number(charge),
      replay: answer.headers['x-svc-idempotent-replay'] === 'true',
    });
  }
}
