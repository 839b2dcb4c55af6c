import { ConcurrencyLimitError } from 'polygate';
import type { Generation, Model, SubmittedTask, SucceededGeneration } from 'polygate';

import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import type { Finding, Report } from '../run/report.ts';
import { usd } from '../text.ts';
import { reportNoResult } from './no-result.ts';
import { payForFirst } from './pay-for-first.ts';
import { Payment } from './payment.ts';
import { choose } from './requests.ts';
import { payAgain, submitImage } from './submit-image.ts';
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
    const candidates = choose(context, models, 'image');
    const recorder = recordCalls();
    const submit = (model: PricedModel) => submitImage(context, model, recorder.telemetry);
    const paymentWith = (model: PricedModel) => new Payment(context, report, model);
    const accepted =
      'detail' in candidates
        ? candidates
        : await payForFirst(candidates.map(paymentWith), submit, (paid) => {
            keep(paid);
            describeSubmit(paid, report.on('A7'));
          });
    if ('detail' in accepted) {
      report.endsBecause(accepted);
      return report.on('A15').skipped(noRefund);
    }
    const { model, result: submitted } = accepted;
    const { task } = submitted;
    const isFinished = task.latest.status === 'succeeded';
    const replayed = isFinished ? undefined : await checkSlot(context, report.on('A14'), submitted);
    const paid = { ...submitted, replayed };
    keep(paid);
    const words = new Set([
      task.latest.rawStatus,
      ...(replayed ? [replayed.latest.rawStatus] : []),
    ]);
    const onUpdate = ({ rawStatus }: Generation) => words.add(rawStatus);
    let result: SucceededGeneration<'image'>;
    try {
      result = await task.wait({ signal: context.signal, waitTimeout: 180_000, onUpdate });
    } catch (error) {
      return reportNoResult(context, report, paid, error);
    }
    keep({ ...paid, result });
    report.ok(`${model.id} generated an image for ${usd(task.chargeUsd ?? model.priceUsd)}.`);
    if (!isFinished) reportPollPath(recorder.calls, report.on('A2'));
    await reportRecord(context, report, task, { result, words, isFinished });
  },
});

function describeSubmit({ task: { latest } }: PaidTask, report: Report): void {
  report.ok(
    latest.status === 'succeeded'
      ? 'The response to the submit is already finished. The client takes it for a task that has succeeded.'
      : `The response to the submit is a task with status "${latest.rawStatus}".`,
  );
}

/**
 * Replays the submit while its task runs: the free slots before and after show whether the task holds one. Returns the
 * task of the replay.
 */
async function checkSlot(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
): Promise<SubmittedTask<'image'> | undefined> {
  let replayed: SubmittedTask<'image'> | undefined;
  try {
    const problem = await payAgain(context, report, paid, (again) => {
      replayed = again;
      if (again.id === paid.task.id) report.add(slotFinding(paid.task, again));
      else report.skipped('The replay created another task, which holds a slot of its own.');
    });
    if (problem !== undefined) report.skipped(problem);
  } catch (error) {
    if (!ConcurrencyLimitError.is(error)) throw error;
    report.ok(slotIsHeld);
  }
  return replayed;
}

const slotIsHeld =
  'A running task holds a concurrency slot until it ends. The client learns this from the response headers and waits for slots.';

/** Whether a task holds a slot, from the responses to its submit and to the replay. */
function slotFinding(first: SubmittedTask<'image'>, again: SubmittedTask<'image'>): Finding {
  const before = first.meta.concurrency.remaining;
  const after = again.meta.concurrency.remaining;
  const { status } = again.latest;
  if (before === undefined || after === undefined) {
    return { status: 'skipped', detail: 'The responses do not report free slots.' };
  }
  if (status !== 'queued' && status !== 'running') {
    return { status: 'skipped', detail: 'The task ended too soon to check this.' };
  }
  const isHeld = after < before;
  return {
    status: 'ok',
    detail: isHeld ? slotIsHeld : 'A running task holds no concurrency slot.',
  };
}

/** Which poll path the service responded at. Assumption A2, unless unknown tasks have shown it. */
function reportPollPath(calls: readonly RecordedCall[], report: Report): void {
  const polls = calls.filter(({ method }) => method === 'GET');
  const found = polls.find(({ error }) => error === undefined)?.template;
  const [first] = polls;
  if (found === undefined || first === undefined) return;
  if (found === first.template) return report.ok(`GET ${found} returns the task.`);
  const detail = `GET ${first.template} does not return the task, but GET ${found} does.`;
  report.warning(detail, needed.triedPollPath(found));
}
