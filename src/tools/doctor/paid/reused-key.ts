import { APIError, ConcurrencyLimitError } from 'polygate';
import type { SubmittedTask } from 'polygate';

import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf, statusOf, describeFailure } from '../run/failure.ts';
import type { Report, Finding } from '../run/findings.ts';
import { isRejectedKey, resubmit } from './paid-task.ts';
import type { PaidTask, Resubmit } from './paid-task.ts';
import type { Sent, Skipped } from './pay.ts';

/** Whether the same submit with the same key returns the same task, without a second charge. */
export const replay = (paidTask: PaidTask | undefined): Check => ({
  id: 'replay',
  title: 'Idempotent replay',
  requires: 'key',
  async run(context, report) {
    if (paidTask === undefined) {
      return report.skipped('No image task is known that could be replayed.');
    }
    // If `image-task` has replayed it, that was counted there.
    let again = paidTask.replay;
    if (again === undefined) {
      const sent = await resubmit(context, report, paidTask);
      if (sent.kind === 'skipped') return report.skipped(sent.reason);
      again = sent.result;
    }
    describeReplay(report, again);
    if (!again.isSame) {
      context.spending.block('The service charges replays, so nothing more is spent.');
    } else if (paidTask.route === 'generations') {
      await checkDefaultRoute(context, report, paidTask);
    }
  },
});

function describeReplay(report: Report, { task, isSame, isFree }: Resubmit): void {
  const need = needed.noRetries({ isSame });
  if (need !== undefined) {
    report.failed(
      'A reused key creates a second task, so a retried submit is charged twice.',
      need,
    );
  } else if (task.replayed) {
    report.ok('A reused key returns the same task without a second charge.');
  } else if (isFree) {
    report.ok(
      'A reused key returns the same task and reports no charge, although it is not marked as a replay.',
    );
  } else {
    report.warning(
      'A reused key returns the same task, but reports its charge again without marking it as a replay.',
      {
        advice:
          'gateway.spend then counts the charge of a retried submit twice. Compare it with your account.',
      },
    );
  }
}

/**
 * Sends the same submit over the client's default route, which the image task does not use. It is free if the service
 * shares keys between the routes.
 */
async function checkDefaultRoute(
  context: DiagnosisContext,
  report: Report,
  paidTask: PaidTask,
): Promise<void> {
  const about = report.onAspect('route', 'Default route of images');
  try {
    const sent = await resubmit(context, report, { ...paidTask, route: 'tasks' });
    if (sent.kind === 'skipped') about.skipped(sent.reason);
    else about.ok('POST /v1/images/tasks accepts images.');
  } catch (error) {
    if (isRejectedKey(error)) {
      return about.ok('POST /v1/images/tasks exists, and rejects a key of another route.');
    }
    const need = needed.imageRoute(statusOf(error));
    if (need === undefined) throw error;
    about.failed(
      `POST /v1/images/tasks, which the client uses by default, does not exist. ${messageOf(error)}`,
      need,
    );
  }
}

/** What happens to a key that is reused with other params. Assumption A13. */
export const conflict = (paidTask: PaidTask | undefined): Check => ({
  id: 'conflict',
  title: 'Reused key',
  requires: 'key',
  assumptions: [{ id: 'A13', ifOpen: 'No image task is known whose key could be reused.' }],
  async run(context, report) {
    if (paidTask === undefined) return;
    const about = report.on('A13');
    const params = { ...paidTask.params, prompt: 'A white square' };
    let sent: Sent<Resubmit> | Skipped;
    try {
      sent = await resubmit(context, report, { ...paidTask, params });
    } catch (error) {
      return describeError(error, about);
    }
    if (sent.kind === 'skipped') about.skipped(sent.reason);
    else describeResubmit(sent.result, about);
  },
});

function describeResubmit({ isSame, isFree }: Resubmit, about: Report): void {
  const advice = 'Never use one key for two requests: nothing would warn you.';
  if (!isSame) {
    about.warning(
      'A key that is reused with other params creates a second task, which is charged.',
      { advice },
    );
  } else if (!isFree) {
    about.warning(
      'A key that is reused with other params returns the original task, but reports a charge.',
      { advice },
    );
  } else {
    about.ok('A key that is reused with other params returns the original task.');
  }
}

function describeError(error: unknown, about: Report): void {
  if (!APIError.is(error) || error.status === 429) throw error;
  if (isRejectedKey(error)) {
    return about.ok('A key that is reused with other params is rejected with a 409.');
  }
  about.warning(`A key that is reused with other params fails with ${messageOf(error)}`);
}

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
