import { AbortedError } from '../../errors/aborted.ts';
import { PaymentRequiredError } from '../../errors/status.ts';
import { textOf } from '../../schemas/type-guards.ts';
import { abortedError } from '../call/errors.ts';
import { emptyMeta } from '../http/response-meta.ts';

/**
 * The error of a row: the error that was thrown, or why the row was not sent if what was thrown is the reason of an
 * aborted signal.
 */
export function toRowError(
  thrown: unknown,
  signal: AbortSignal,
  halt: AbortSignal,
  idempotencyKey: string | undefined,
): Error {
  const cause = AbortedError.is(thrown) ? thrown.cause : thrown;
  if (halt.aborted && cause === halt.reason) {
    return new PaymentRequiredError(
      '402: The balance is insufficient. This row was not sent. This run did not charge it. ' +
        'Top up the balance, then run the batch again.',
      { meta: emptyMeta(402), outcome: 'not-sent', idempotencyKey },
    );
  }
  if (signal.aborted && thrown === signal.reason) {
    const message = 'The row was aborted before it was sent. This run did not charge it.';
    return abortedError(thrown, { outcome: 'not-sent' }, message);
  }
  return thrown instanceof Error ? thrown : new Error(textOf(thrown) ?? '', { cause: thrown });
}
