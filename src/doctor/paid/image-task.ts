import { ConcurrencyLimitError, TaskFailedError, TaskWaitTimeoutError } from 'polygate';
import type { Generation } from 'polygate';

import type { Check } from '../check.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';
import { messageOf, statusOf } from '../failure.ts';
import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import type { Report } from '../report.ts';
import { usd } from '../text.ts';
import { payForFirst } from './pay.ts';
import { reportRecord } from './record.ts';
import { choose } from './requests.ts';
import { payAgain, submitImage } from './submit-image.ts';

const noImage = 'No image task succeeded.';
const noFailure = 'Only a failed task would show whether it is refunded.';

/** Submits one image and waits for it. Assumptions A2 to A7, A14 and A15. */
export const imageTask: Check = {
  id: 'image-task',
  title: 'Image task',
  needs: 'key',
  assumptions: [
    ['A2', noImage],
    ['A3', noImage],
    ['A4', noImage],
    ['A5', noImage],
    ['A6', noImage],
    ['A7'],
    ['A14', 'The task had ended before its slot could be counted.'],
    ['A15', noFailure],
  ],
  async run(context, report) {
    const models = choose(context, 'image');
    if ('detail' in models) {
      report.skipped(models);
      report.on('A15').skipped(noFailure);
      return;
    }
    const recorder = recordCalls();
    const submit = (candidate: PricedModel) => submitImage(context, candidate, recorder.telemetry);
    const { model, result: paid } = await payForFirst(context, report, models, submit, (result) => {
      context.paidTask = result;
      describeSubmit(result, report.on('A7'));
    });
    const { task } = paid;
    const isFinished = task.latest.status === 'succeeded';
    const words = new Set([task.latest.rawStatus]);
    if (!isFinished) await checkSlot(context, report, paid, words);
    const onUpdate = ({ rawStatus }: Generation) => words.add(rawStatus);
    try {
      paid.result = await task.wait({ signal: context.signal, waitTimeout: 180_000, onUpdate });
    } catch (error) {
      return reportFailure(context, report, paid, error);
    }
    const price = usd(task.chargeUsd ?? model.priceUsd);
    report.ok(`${model.id} generated an image for ${price}.`);
    if (!isFinished) reportPollPath(recorder.calls, report.on('A2'));
    await reportRecord(context, report, paid.task, { result: paid.result, words, isFinished });
  },
};

function describeSubmit({ task: { latest } }: PaidTask, report: Report): void {
  report.ok(
    latest.status === 'succeeded'
      ? 'The response to the submit is already finished. The client takes it for a task that has succeeded.'
      : `The response to the submit is a task with status "${latest.rawStatus}".`,
  );
}

/** Replays the submit while its task runs: the free slots before and after show whether the task holds one. */
async function checkSlot(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
  words: Set<string>,
): Promise<void> {
  const about = report.on('A14');
  const held =
    'A running task holds a concurrency slot until it ends. The client learns this from the response headers and waits for slots.';
  try {
    const problem = await payAgain(context, report, paid, (replay) => {
      paid.replay = replay;
      words.add(replay.latest.rawStatus);
      const before = paid.task.meta.concurrency.remaining;
      const after = replay.meta.concurrency.remaining;
      const { status } = replay.latest;
      if (before === undefined || after === undefined) {
        about.skipped('The responses do not report free slots.');
      } else if (status !== 'queued' && status !== 'running') {
        about.skipped('The task ended too soon to check this.');
      } else {
        about.ok(after < before ? held : 'A running task holds no concurrency slot.');
      }
    });
    if (problem !== undefined) about.skipped(problem);
  } catch (error) {
    if (!ConcurrencyLimitError.is(error)) throw error;
    about.ok(held);
  }
}

/** Which poll path the service responded at. Assumption A2, unless unknown tasks have shown it. */
function reportPollPath(calls: readonly RecordedCall[], report: Report): void {
  const polls = calls.filter(({ method }) => method === 'GET');
  const found = polls.find(({ error }) => error === undefined)?.template;
  const [first] = polls;
  if (found === undefined || first === undefined) return;
  const assumed = first.template;
  const path = {
    name: 'imageTask',
    assumed,
    isAssumedMissing: true,
    found,
    isTried: true,
  } as const;
  const need = needed.pollPath(path);
  if (need === undefined) return report.ok(`GET ${found} returns the task.`);
  report.warning(`GET ${assumed} does not return the task, but GET ${found} does.`, need);
}

/** Describes a task that was paid for and has no result. */
async function reportFailure(
  context: DiagnosisContext,
  report: Report,
  paid: PaidTask,
  error: unknown,
): Promise<void> {
  if (TaskFailedError.is(error)) {
    report.warning(messageOf(error), { advice: 'Run doctor again.' });
    report.on('A4').ok(`The service marks a failed task with "${error.generation.rawStatus}".`);
    return checkRefund(context, report.on('A15'), paid);
  }
  if (statusOf(error) === 404) {
    return report
      .on('A2')
      .failed(
        `Task ${paid.task.id} was paid for, but no poll path returns it. ${messageOf(error)}`,
        needed.unknownPollPath(),
      );
  }
  if (!TaskWaitTimeoutError.is(error)) throw error;
  const status = error.generation?.rawStatus ?? 'unknown';
  report.warning(
    `Task ${paid.task.id} has not ended within 3 minutes. Its last status is "${status}".`,
    needed.waitTimeout(),
  );
}

/** Whether the wallet has the price of a failed task back. Assumption A15. */
async function checkRefund(
  context: DiagnosisContext,
  report: Report,
  { task }: PaidTask,
): Promise<void> {
  const { client, signal, spending } = context;
  const { data } = await context.read(client.account.retrieve({ signal }));
  const { balance }: { balance?: { usd?: unknown } } = data;
  const { chargeUsd } = task;
  const before = spending.walletUsd;
  if (typeof balance?.usd !== 'number' || before === Infinity || !chargeUsd) {
    return report.skipped('The balance does not show it.');
  }
  // Other charges of this diagnosis are known. Those of other users of the account are not.
  const unexplained = before - balance.usd - (spending.spentUsd - chargeUsd);
  report.ok(
    unexplained < chargeUsd / 2
      ? 'The balance shows that the failed task was refunded. gateway.spend still counts it.'
      : 'The balance shows no refund for the failed task.',
  );
}
