import type { Generation, Model, SucceededGeneration, Telemetry } from 'polygate';

import { needed } from '../options.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Report } from '../run/report.ts';
import { usd } from '../text.ts';
import { maxMinutes, reportNoResult } from './no-result.ts';
import { payForFirst } from './pay-for-first.ts';
import type { Accepted } from './pay-for-first.ts';
import { Payment } from './payment.ts';
import { choose } from './requests.ts';
import type { Skipped } from './requests.ts';
import { replayForSlots } from './slot.ts';
import { submitImage } from './submit-image.ts';
import type { PaidTask } from './submit-image.ts';
import { reportRecord } from './task-record.ts';

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
    const recorder = recordCalls();
    const accepted = await submit(context, report, models, recorder.telemetry);
    if (accepted.kind === 'skipped') {
      report.endsBecause(accepted.reason);
      return report.on('A15').skipped(noRefund);
    }
    const { result: submitted } = accepted;
    keep(submitted);

    const { task, isFinished } = submitted;
    const replayed = isFinished
      ? undefined
      : await replayForSlots(context, report.on('A14'), submitted);
    const paid = { ...submitted, replayed };
    keep(paid);

    let finished: FinishedTask;
    try {
      finished = await waitFor(paid, context);
    } catch (error) {
      return reportNoResult(context, report, paid, error);
    }
    keep({ ...paid, result: finished.result });

    const { params, priceUsd } = paid;
    report.ok(`${params.model} generated an image for ${usd(task.chargeUsd ?? priceUsd)}.`);
    if (!isFinished) reportPollPath(recorder.calls, report.on('A2'));
    await reportRecord(context, report, task, { ...finished, isFinished });
  },
});

/** Submits an image with the cheapest model that the service accepts; or returns why there is none. Assumption A7. */
async function submit(
  context: DiagnosisContext,
  report: Report,
  models: readonly Model[] | undefined,
  telemetry: Telemetry,
): Promise<Accepted<PaidTask> | Skipped> {
  const candidates = choose(context, models, 'image');
  if (candidates.kind === 'skipped') return candidates;
  return payForFirst(
    candidates.models.map((model) => new Payment(context, report, model)),
    (model) => submitImage(context, model, telemetry),
    (paid) => report.on('A7').ok(describeSubmit(paid)),
  );
}

function describeSubmit({ task, isFinished }: PaidTask): string {
  return isFinished
    ? 'The response to the submit is already finished. The client takes it for a task that has succeeded.'
    : `The response to the submit is a task with status "${task.latest.rawStatus}".`;
}

/** A task that has succeeded, and the status values that its records have had until then. */
interface FinishedTask {
  readonly result: SucceededGeneration<'image'>;
  readonly words: ReadonlySet<string>;
}

/** Waits for the result of a task. */
async function waitFor(
  { task, replayed }: PaidTask,
  { signal }: DiagnosisContext,
): Promise<FinishedTask> {
  const words = new Set([task.latest.rawStatus]);
  if (replayed) words.add(replayed.latest.rawStatus);
  const onUpdate = ({ rawStatus }: Generation) => words.add(rawStatus);
  const result = await task.wait({ signal, waitTimeout: maxMinutes * 60_000, onUpdate });
  return { result, words };
}

/** Which poll path the service responded at. Assumption A2, unless unknown tasks have shown it. */
function reportPollPath(calls: readonly RecordedCall[], report: Report): void {
  const polls = calls.filter(({ method }) => method === 'GET');
  const found = polls.find(({ error }) => error === undefined)?.template;
  const [first] = polls;
  if (found === undefined || first === undefined) return;
  const need = needed.triedPollPath({ assumed: first.template, found });
  if (need === undefined) return report.ok(`GET ${found} returns the task.`);
  report.warning(`GET ${first.template} does not return the task, but GET ${found} does.`, need);
}
