import type { Generation, Model } from 'polygate';

import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Report } from '../run/report.ts';
import { chargeText } from '../text.ts';
import { maxMinutes, reportNoResult } from './no-result.ts';
import { payForFirst } from './pay-for-first.ts';
import type { Sent, Skipped } from './pay.ts';
import { reportPollPath } from './poll-path.ts';
import { choose } from './requests.ts';
import { replayForSlots } from './slot.ts';
import { submitImage } from './submit-image.ts';
import type { PaidTask } from './submit-image.ts';
import { reportRecord } from './task-record.ts';
import type { FinishedTask } from './task-record.ts';

const noImage = 'No image task succeeded.';

const noRefund = 'Only a failed task would show whether it is refunded.';

/** Submits one image and waits for it. Assumptions A2 to A7, A14 and A15. */
export const imageTask = (models: readonly Model[] | undefined): Check<PaidTask> => ({
  id: 'image-task',
  title: 'Image task',
  requires: 'key',
  assumptions: [
    { id: 'A2', aspect: 'image', ifOpen: noImage },
    { id: 'A3', aspect: 'record', ifOpen: noImage },
    { id: 'A4', aspect: 'status', ifOpen: noImage },
    { id: 'A5', aspect: 'urls', ifOpen: noImage },
    { id: 'A6', aspect: 'wrapper', ifOpen: noImage },
    { id: 'A7', aspect: 'submit', ifOpen: 'Not tested.' },
    {
      id: 'A14',
      aspect: 'slot',
      ifOpen: 'The task had ended before its slot could be counted.',
    },
    { id: 'A15', aspect: 'refund', ifOpen: noRefund },
  ],
  async run(context, report, keep) {
    const submitted = await submit(context, report, models);
    if (submitted.kind === 'skipped') {
      report.endsBecause(submitted.reason);
      return report.on('A15').skipped(noRefund);
    }
    let paid = submitted.result;
    report.on('A7').ok(describeSubmit(paid));
    try {
      if (!paid.isFinished) {
        paid = { ...paid, replay: await replayForSlots(context, report.on('A14'), paid) };
      }
      const end = await waitFor(paid, context);
      if ('error' in end) return await reportNoResult(context, report, paid, end.error);
      paid = { ...paid, result: end.result };
      await reportSuccess(context, report, paid, end);
    } finally {
      keep(paid);
    }
  },
});

/** Submits an image with the cheapest model that the service accepts; or returns why there is none. Assumption A7. */
async function submit(
  context: DiagnosisContext,
  report: Report,
  models: readonly Model[] | undefined,
): Promise<Sent<PaidTask> | Skipped> {
  const candidates = choose(context, models, 'image');
  if (candidates.kind === 'skipped') return candidates;
  return payForFirst(context, report, candidates.models, (model) => submitImage(context, model));
}

function describeSubmit({ task, isFinished }: PaidTask): string {
  return isFinished
    ? 'The response to the submit is already finished. The client takes it for a task that has succeeded.'
    : `The response to the submit is a task with status "${task.latest.rawStatus}".`;
}

/** How the wait for a task has ended. */
type WaitEnd = FinishedTask | { readonly error: unknown };

async function waitFor({ task, replay }: PaidTask, { signal }: DiagnosisContext): Promise<WaitEnd> {
  const words = new Set([task.latest.rawStatus]);
  if (replay) words.add(replay.task.latest.rawStatus);
  const onUpdate = ({ rawStatus }: Generation) => words.add(rawStatus);
  try {
    const result = await task.wait({ signal, waitTimeout: maxMinutes * 60_000, onUpdate });
    return { result, words };
  } catch (error) {
    return { error };
  }
}

async function reportSuccess(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
  finished: FinishedTask,
): Promise<void> {
  const { task, params, isFinished } = paid;
  report.ok(`${params.model} generated an image for ${chargeText(task.chargeUsd)}.`);
  if (!isFinished) await reportPollPath(context, report.on('A2'), paid);
  await reportRecord(context, report, paid, finished);
}
