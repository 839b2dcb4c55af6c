import { AbortedError } from '../../errors/aborted.ts';
import { PaymentRequiredError } from '../../errors/status.ts';
import { abortedError } from '../call/errors.ts';
import { whenAborted } from '../config/clock.ts';
import { emptyMeta } from '../http/response-meta.ts';

/** The error of a row: the error that was thrown, or why the row was not sent if the batch was halted. */
export function explainHalt(
  error: unknown,
  { aborted, reason }: AbortSignal,
  idempotencyKey: string | undefined,
): unknown {
  if (!aborted || !AbortedError.is(error) || error.cause !== reason) return error;
  return new PaymentRequiredError(
    '402: The balance was insufficient for another row. This row was not sent. This run did not charge it. ' +
      'Top up the balance, then run the batch again.',
    { meta: emptyMeta(402), outcome: 'not-sent', idempotencyKey },
  );
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

/** @throws {@link AbortedError} for a row that was aborted before it was sent. */
export function throwRowAborted(cause: unknown): never {
  const message = 'The row was aborted before it was sent. This run did not charge it.';
  throw abortedError(cause, { outcome: 'not-sent' }, message);
}
