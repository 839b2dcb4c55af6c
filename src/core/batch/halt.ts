import { AbortedError } from '../../errors/aborted.ts';
import { PaymentRequiredError } from '../../errors/status.ts';
import type { AttemptObserver } from '../call/api-call.ts';
import { abortedError } from '../call/errors.ts';
import { whenAborted } from '../config/clock.ts';
import type { Log } from '../config/log.ts';
import { emptyMeta } from '../http/response-meta.ts';

/**
 * Stops the submissions of a batch at the first 402, because the service would reject all further ones. Submissions
 * that are already in flight continue, because they may be accepted.
 */
export class BatchHalt {
  readonly #controller = new AbortController();

  constructor({ warn }: Log) {
    whenAborted(this.signal, () =>
      warn(
        () =>
          'batch: the service rejected a row because the balance is insufficient (402), so no more rows are ' +
          'submitted. Accepted rows are not affected. Top up the balance, then run the batch again with the same ' +
          'journal; without a journal, only with the rows that failed or were not yielded.',
      ),
    );
  }

  /** Aborts at the first 402. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs `send` with a signal that aborts with `signal`, and at the first 402 unless the request has been sent. */
  async sendUnlessHalted<Result>(
    send: (signal: AbortSignal, observer: AttemptObserver) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const controller = new AbortController();
    const stopListening = forwardAbort(signal, controller);
    const ignoreHalt = forwardAbort(this.signal, controller);
    const onResponse = (status: number) => {
      if (status === 402) this.#controller.abort();
    };
    try {
      return await send(controller.signal, { onSend: ignoreHalt, onResponse });
    } finally {
      stopListening();
      ignoreHalt();
    }
  }

  /** The error of a row: the error that was thrown, or why the row was not sent if the batch was halted. */
  explain(error: unknown, idempotencyKey: string | undefined): unknown {
    const { signal } = this;
    if (!signal.aborted || !AbortedError.is(error) || error.cause !== signal.reason) return error;
    return new PaymentRequiredError(
      '402: The service rejected another row of this batch because the balance is insufficient. This row was not ' +
        'sent, so it was not charged by this run. Top up the balance, then run the batch again.',
      { meta: emptyMeta(402), outcome: 'not-sent', idempotencyKey },
    );
  }
}

/** Aborts the controller when the signal aborts, or now if it has. The returned function stops listening. */
export function forwardAbort(
  signal: AbortSignal | undefined,
  controller: AbortController,
): () => void {
  const abort = (reason: unknown) => controller.abort(reason);
  if (signal?.aborted) abort(signal.reason);
  return whenAborted(signal, abort);
}

/** The error for a row that was aborted before it was sent. */
export function rowAborted(cause: unknown): AbortedError {
  const message = 'The row was aborted before it was sent. This run did not charge it.';
  return abortedError(cause, { outcome: 'not-sent' }, message);
}

/** @throws {@link AbortedError} if the signal has aborted. */
export function throwIfRowAborted(signal: AbortSignal): void {
  if (signal.aborted) throw rowAborted(signal.reason);
}
