import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf, statusOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { isRejectedKey, resubmit } from './submit-image.ts';
import type { PaidTask, Resubmit } from './submit-image.ts';

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
