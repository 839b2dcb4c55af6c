import { RequestTimeoutError } from '../../../errors/connection.ts';
import { ConcurrencyLimitError } from '../../../errors/status.ts';
import type { AttemptObserver } from '../../call/api-call.ts';
import type { RunContext } from '../run/context.ts';
import { isUncharged } from './charge-rules.ts';
import type { RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';

/** What a row sends, and what happens before each attempt. */
interface Sending<Accepted> {
  readonly submission: RowSubmission<Accepted>;
  readonly beforeAttempt?: (() => Promise<void>) | undefined;
}

/**
 * Sends a row, repeatedly until the service has a free concurrency slot. A single request gives up after `maxQueueTime`
 * or `totalTimeout`. A batch does not: if running tasks occupy the slots (assumption A14), each row has to wait until
 * earlier tasks end. The pause aborts the row, too, unless the service may accept the request.
 */
export async function sendWhenSlotFree<Accepted>(
  row: Row,
  { submission, beforeAttempt }: Sending<Accepted>,
  { config, pause, enter }: RunContext,
): Promise<Accepted> {
  const { idempotencyKey, controller } = row;
  const { signal } = controller;
  const markWaiting = () => {
    row.markUnsent();
    pause.addUnsent(controller);
  };
  const observer: AttemptObserver = {
    beforeAttempt,
    onSend: () => {
      row.markSent();
      pause.removeUnsent(controller);
    },
    onResponse: ({ status }) => {
      if (status === 402) pause.begin();
    },
    // Attempts that were certainly rejected count as unsent.
    onRetry: (outcome) => {
      if (outcome !== 'unknown') markWaiting();
    },
  };
  try {
    for (;;) {
      markWaiting();
      try {
        return await enter(() => submission.send({ idempotencyKey, signal }, observer));
      } catch (error) {
        if (isUncharged(error)) row.markUnsent();
        const rejection = RequestTimeoutError.is(error) ? error.cause : error;
        const isLimited = config.concurrency !== false && ConcurrencyLimitError.is(rejection);
        // An earlier attempt may have been charged: report it instead of retrying.
        if (!isLimited || rejection.outcome === 'unknown') throw error;
        markWaiting();
        // A row that found no free slot waits at least a second.
        await config.clock.sleep(Math.max(1_000, rejection.retryAfterMs ?? 0), signal);
      }
    }
  } finally {
    pause.removeUnsent(controller);
  }
}
