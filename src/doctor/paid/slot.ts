import { ConcurrencyLimitError } from 'polygate';
import type { SubmittedTask } from 'polygate';

import type { DiagnosisContext } from '../run/context.ts';
import { describeFailure } from '../run/failure.ts';
import type { Finding, Report } from '../run/report.ts';
import { payAgain } from './submit-image.ts';
import type { PaidTask } from './submit-image.ts';

const slotIsHeld =
  'A running task holds a concurrency slot until it ends. The client learns this from the response headers and waits for slots.';

/**
 * Replays the submit of a running task: the free slots before and after show whether the task holds one. Returns the task
 * of the replay. A replay that fails is a finding, too, because the task was paid for and has to be waited for.
 */
export async function replayForSlots(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
): Promise<SubmittedTask<'image'> | undefined> {
  const unconfirmedBefore = context.spending.unconfirmedUsd;
  let replayed: SubmittedTask<'image'> | undefined;
  try {
    const problem = await payAgain(context, report, paid, (again) => {
      replayed = again;
      report.add(compareSlots(paid.task, again));
    });
    if (problem !== undefined) report.skipped(problem);
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const isPossiblyCharged = context.spending.unconfirmedUsd > unconfirmedBefore;
    report.add(describeFailedReplay(error, isPossiblyCharged));
  }
  return replayed;
}

/** Whether a task holds a slot, from the responses to its submit and to the replay. */
function compareSlots(first: SubmittedTask<'image'>, again: SubmittedTask<'image'>): Finding {
  const before = first.meta.concurrency.remaining;
  const after = again.meta.concurrency.remaining;
  const { status } = again.latest;
  const skipped = (detail: string): Finding => ({ status: 'skipped', detail });
  if (again.id !== first.id) {
    return skipped('The replay created another task, which holds a slot of its own.');
  }
  if (before === undefined || after === undefined) {
    return skipped('The responses do not report free slots.');
  }
  if (status !== 'queued' && status !== 'running') {
    return skipped('The task ended too soon to check this.');
  }
  const detail = after < before ? slotIsHeld : 'A running task holds no concurrency slot.';
  return { status: 'ok', detail };
}

/** What a replay that failed shows about slots. The check `replay` sends it again, and judges replays. */
function describeFailedReplay(error: unknown, isPossiblyCharged: boolean): Finding {
  if (ConcurrencyLimitError.is(error)) return { status: 'ok', detail: slotIsHeld };
  const failure = describeFailure(error);
  const advice = isPossiblyCharged ? 'Check the charges in your account.' : undefined;
  return {
    advice,
    ...failure,
    status: failure.status === 'failed' ? 'warning' : failure.status,
    detail: `The submit could not be replayed while its task was running. ${failure.detail}`,
  };
}
