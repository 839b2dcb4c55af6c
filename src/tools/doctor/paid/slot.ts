import { ConcurrencyLimitError } from 'polygate';
import type { SubmittedTask } from 'polygate';

import type { DiagnosisContext } from '../run/context.ts';
import { describeFailure } from '../run/failure.ts';
import type { Finding, Report } from '../run/report.ts';
import { resubmit } from './submit-image.ts';
import type { PaidTask, Resubmit } from './submit-image.ts';

const slotIsHeld =
  'A running task holds a concurrency slot until it ends. The client learns this from the response headers and waits for slots.';

/**
 * Replays the submit of a running task: the free slots before and after show whether the task holds one. Returns what
 * the replay has returned. A replay that fails is a finding, too, because the task was paid for and has to be waited
 * for.
 */
export async function replayForSlots(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
): Promise<Resubmit | undefined> {
  try {
    const sent = await resubmit(context, report, paid);
    if (sent.kind === 'sent') {
      report.add(compareSlots(paid.task, sent.result));
      return sent.result;
    }
    report.skipped(sent.reason);
  } catch (error) {
    if (context.signal?.aborted) throw error;
    report.add(describeFailedReplay(error));
  }
  return undefined;
}

/** Whether a task holds a slot, from the responses to its submit and to the replay. */
function compareSlots(first: SubmittedTask<'image'>, { task, isSame }: Resubmit): Finding {
  const before = first.meta.concurrency.remaining;
  const after = task.meta.concurrency.remaining;
  const { status } = task.latest;
  const skipped = (detail: string): Finding => ({ status: 'skipped', detail });
  if (!isSame) {
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
function describeFailedReplay(error: unknown): Finding {
  if (ConcurrencyLimitError.is(error)) return { status: 'ok', detail: slotIsHeld };
  const failure = describeFailure(error);
  return {
    ...failure,
    status: failure.status === 'failed' ? 'warning' : failure.status,
    detail: `The submit could not be replayed while its task was running. ${failure.detail}`,
  };
}
