import { monotonicNow } from '../../config/clock.ts';
import { SlotLease } from '../../limits/slot-lease.ts';
import type { TimeLimit } from '../../limits/time-limit.ts';
import type { RunningCall } from '../running-call.ts';

/** Waits for a concurrency slot, at most until `maxQueueTime` after the call began. */
export async function takeSlot<Result>(
  { context, history, errors, span, startedAt }: RunningCall<Result>,
  signal: AbortSignal | undefined,
): Promise<SlotLease> {
  const { config, shared, slots } = context;
  const { clock, maxQueueTime } = config;
  /** When the call began to wait, unless it got a slot immediately. */
  let queuedAt: number | undefined;
  const startWaiting = (): TimeLimit => {
    queuedAt = monotonicNow(clock);
    const ms = Math.max(0, startedAt + maxQueueTime - queuedAt);
    return { clock, signal, ms, errors, onTimeout: () => errors.queueTimeout(maxQueueTime) };
  };
  history.isQueued = true;
  try {
    const wasRejected = history.earlier.slotRejections > 0;
    return new SlotLease(await shared.concurrency.acquire(slots, wasRejected, startWaiting));
  } finally {
    history.isQueued = false;
    if (queuedAt !== undefined) span?.event({ type: 'queued', ms: monotonicNow(clock) - queuedAt });
  }
}
