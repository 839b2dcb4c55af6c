import type { AttemptObserver } from '../../call/call.ts';
import type { RowContext } from '../run/context.ts';
import { isUncharged, slotRejectionOf } from './charge-rules.ts';
import type { RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';

/** What a row sends, and what happens before each attempt. */
interface Sending<Accepted> {
  readonly submission: RowSubmission<Accepted>;
  readonly beforeAttempt?: (() => Promise<void>) | undefined;
  /** Whether the service charges it once under its key, however often it is sent. */
  readonly isChargedOnce: boolean;
}

/**
 * Sends a row, repeatedly until the service has a free concurrency slot. A single request gives up after `maxQueueTime`
 * or `totalTimeout`. A batch does not: if running tasks occupy the slots (assumption A14), each row has to wait until
 * earlier tasks end.
 */
export async function sendWhenSlotFree<Accepted>(
  row: Row,
  { submission, beforeAttempt, isChargedOnce }: Sending<Accepted>,
  { config, pause, enter, chats }: RowContext,
): Promise<Accepted> {
  const { idempotencyKey } = row;
  const { signal } = row.controller;
  const markUnsent = () => {
    row.markUnsent();
    pause.keepBack(row);
  };
  const observer: AttemptObserver = {
    beforeAttempt,
    onSend: () => {
      row.markSent();
      if (!isChargedOnce) chats.add(row);
    },
    onResponse: ({ status }) => {
      if (status === 402) pause.begin();
    },
    // Attempts that were certainly rejected count as unsent.
    onRetry: (outcome) => {
      if (outcome !== 'unknown') markUnsent();
      chats.removeBeforeRetry(row);
    },
  };
  for (;;) {
    try {
      return await enter(() => submission.send({ idempotencyKey, signal }, observer));
    } catch (error) {
      const rejection = config.concurrency === false ? undefined : slotRejectionOf(error);
      // If an earlier attempt may have been charged, that is reported instead of retrying.
      const mayRetry = rejection !== undefined && rejection.outcome !== 'unknown';
      if (mayRetry || isUncharged(error)) markUnsent();
      if (!mayRetry) throw error;
      chats.removeBeforeRetry(row);
      // A row that found no free slot waits at least a second.
      await config.clock.sleep(Math.max(1_000, rejection.retryAfterMs ?? 0), signal);
    }
  }
}
