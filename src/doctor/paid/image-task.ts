import { ConcurrencyLimitError, TaskFailedError, TaskWaitTimeoutError } from 'polygate';
import type { Generation } from 'polygate';

import type { Check, Finding, Findings } from '../check.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';
import { messageOf, statusOf } from '../failure.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import { usd } from '../text.ts';
import { chargeFindings, resubmitFindings } from './charge-findings.ts';
import { recordFindings } from './record-findings.ts';
import { refundFinding } from './refund.ts';
import { choose, tryModels } from './requests.ts';
import { resubmit, submitImage } from './submit-image.ts';

const reasons = 'No image task succeeded.';
const noFailure = 'Only a failed task would show whether it is refunded.';

/** Submits one image and waits for it. Assumptions A2 to A7, A14 and A15. */
export const imageTask: Check = {
  id: 'image-task',
  title: 'Image task',
  needs: 'key',
  assumptions: [
    ['A2', reasons],
    ['A3', reasons],
    ['A4', reasons],
    ['A5', reasons],
    ['A6', reasons],
    ['A7'],
    ['A14', 'The task had ended before its slot could be counted.'],
    ['A15', noFailure],
  ],
  async *run(context) {
    const models = choose(context, 'image');
    if (typeof models === 'string') {
      yield { status: 'skipped', detail: models };
      yield { assumption: 'A15', status: 'skipped', detail: noFailure };
      return;
    }
    const recorder = recordCalls();
    const { model, result: paid } = await tryModels(context, models, (candidate) =>
      submitImage(context, candidate, recorder.telemetry),
    );
    const { task } = paid;
    context.paidTask = paid;
    const isFinished = task.latest.status === 'succeeded';
    yield {
      assumption: 'A7',
      status: 'ok',
      detail: isFinished
        ? 'The response to the submit is already finished. The client takes it for a task that has succeeded.'
        : `The response to the submit is a task with status "${task.latest.rawStatus}".`,
    };
    yield* chargeFindings(context, model, task.meta);
    const words = new Set([task.latest.rawStatus]);
    if (!isFinished) yield* slot(context, paid, words);
    const onUpdate = ({ rawStatus }: Generation) => words.add(rawStatus);
    try {
      paid.result = await task.wait({ signal: context.signal, waitTimeout: 180_000, onUpdate });
    } catch (error) {
      yield* failed(context, paid, error);
      return;
    }
    yield {
      status: 'ok',
      detail: `${model.id} generated an image for ${usd(task.chargeUsd ?? model.priceUsd)}.`,
    };
    if (!isFinished) yield* pollPath(recorder.calls);
    yield* recordFindings(context, paid.result, task, words, isFinished);
  },
};

/** Replays the submit while its task runs: the free slots before and after show whether the task holds one. */
async function* slot(context: DiagnosisContext, paid: PaidTask, words: Set<string>): Findings {
  const assumption = 'A14';
  const { task, priceUsd } = paid;
  const problem = context.spending.problem(priceUsd);
  if (problem !== undefined) {
    yield { assumption, status: 'skipped', detail: problem };
    return;
  }
  const held =
    'A running task holds a concurrency slot until it ends. The client learns this from the response headers and waits for slots.';
  try {
    const replay = await resubmit(context, paid);
    paid.replay = replay;
    words.add(replay.latest.rawStatus);
    yield* resubmitFindings(context, paid, replay);
    const before = task.meta.concurrency.remaining;
    const after = replay.meta.concurrency.remaining;
    const { status } = replay.latest;
    const isRunning = status === 'queued' || status === 'running';
    yield before === undefined || after === undefined
      ? { assumption, status: 'skipped', detail: 'The responses do not report free slots.' }
      : !isRunning
        ? { assumption, status: 'skipped', detail: 'The task ended too soon to tell.' }
        : {
            assumption,
            status: 'ok',
            detail: after < before ? held : 'A running task holds no concurrency slot.',
          };
  } catch (error) {
    if (!ConcurrencyLimitError.is(error)) throw error;
    yield { assumption, status: 'ok', detail: held };
  }
}

/** Which poll path the service responded at. Assumption A2, unless unknown tasks have shown it. */
function* pollPath(calls: readonly RecordedCall[]): Generator<Finding, void, undefined> {
  const assumption = 'A2';
  const polls = calls.filter(({ method }) => method === 'GET');
  const found = polls.find(({ error }) => error === undefined)?.template;
  const [first] = polls;
  if (found === undefined || first === undefined) return;
  if (found === first.template) {
    yield { assumption, status: 'ok', detail: `GET ${found} returns the task.` };
    return;
  }
  yield {
    assumption,
    status: 'warning',
    detail: `GET ${first.template} does not return the task, but GET ${found} does.`,
    advice: 'Set paths.imageTask. Without it, the client sends a failing poll first.',
    option: { paths: { imageTask: found } },
  };
}

/** Describes a task that was paid for and has no result. */
async function* failed(context: DiagnosisContext, paid: PaidTask, error: unknown): Findings {
  if (TaskFailedError.is(error)) {
    const { rawStatus } = error.generation;
    yield { status: 'warning', detail: messageOf(error), advice: 'Run doctor again.' };
    yield {
      assumption: 'A4',
      status: 'ok',
      detail: `The service marks a failed task with "${rawStatus}".`,
    };
    yield await refundFinding(context, paid);
    return;
  }
  if (statusOf(error) === 404) {
    yield {
      assumption: 'A2',
      status: 'failed',
      detail: `Task ${paid.task.id} was paid for, but no poll path returns it. ${messageOf(error)}`,
      advice: 'Set paths.imageTask to the poll path that the operator of the service names.',
    };
    return;
  }
  if (!TaskWaitTimeoutError.is(error)) throw error;
  const status = error.generation?.rawStatus ?? 'unknown';
  yield {
    status: 'warning',
    detail: `Task ${paid.task.id} has not ended within 3 minutes. Its last status is "${status}".`,
    advice:
      'If all tasks take this long, raise waitTimeout. A status that the client does not know counts as running.',
  };
}
