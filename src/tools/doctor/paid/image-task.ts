import { TaskFailedError, TaskWaitTimeoutError } from 'polygate';
import type { Generation, Model, Account, Polygate, SucceededGeneration } from 'polygate';

import { contextOf } from '../../../internal.ts';
import { isLoopbackHost, parseURL } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { describeFailure, isAboutEndpoint, messageOf } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { chargeText } from '../text.ts';
import { submitImage, reportPollPath, foundPoll, reportRecord } from './paid-task.ts';
import type { PaidTask, FinishedTask } from './paid-task.ts';
import { payForFirst, choose } from './pay.ts';
import type { Sent, Skipped } from './pay.ts';
import { replayForSlots } from './reused-key.ts';

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

async function waitFor(
  { task, replay }: PaidTask,
  { signal }: DiagnosisContext,
): Promise<FinishedTask | { readonly error: unknown }> {
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

/** How long the task is waited for. */
const maxMinutes = 3;

/** Describes a task that was submitted and has no result. */
async function reportNoResult(
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
  const pathNeed = needed.unknownPollPath(error);
  if (pathNeed !== undefined) {
    const detail = `Task ${paid.task.id} was accepted, but polls do not find it. ${messageOf(error)}`;
    return report.on('A2').failed(detail, pathNeed);
  }
  if (!TaskWaitTimeoutError.is(error)) throw error;
  const lastPoll = paid.calls.at(-1);
  if (lastPoll?.error !== undefined && foundPoll(paid.calls) === undefined) {
    const failure = describeFailure(lastPoll.error);
    const detail = `Task ${paid.task.id} was accepted, but no poll has succeeded within ${maxMinutes} minutes. ${failure.detail}`;
    return report.add({ ...failure, detail });
  }
  const status = error.generation?.rawStatus ?? 'unknown';
  report.warning(
    `Task ${paid.task.id} has not ended within ${maxMinutes} minutes. Its last status is "${status}".`,
    needed.waitTimeout(error),
  );
}

const notShown = 'The balance does not show it.';

/** Whether the wallet has the price of a failed task back. Assumption A15. */
async function checkRefund(
  context: DiagnosisContext,
  report: Report,
  { task, replay }: PaidTask,
): Promise<void> {
  const { client, signal, spending } = context;
  if (spending.unconfirmedUsd > 0) {
    return report.skipped(
      'A request whose response was lost, or reported no charge, may have been charged, too, so the balance does not show it.',
    );
  }
  if (replay && !replay.isFree) {
    return report.skipped(
      'A replay of the submit reported another charge, so the balance does not show it.',
    );
  }
  const { chargeUsd } = task;
  const before = spending.walletUsd;
  if (before === undefined || !chargeUsd) return report.skipped(notShown);
  let account: Account;
  try {
    ({ data: account } = await context.read(client.account.retrieve({ signal })));
  } catch (error) {
    if (!isAboutEndpoint(error)) throw error;
    return report.skipped(`${notShown} ${messageOf(error)}`);
  }
  const { balance }: { balance?: { usd?: unknown } } = account;
  if (typeof balance?.usd !== 'number') return report.skipped(notShown);
  // Other charges of this diagnosis are known. Those of other users of the account are not.
  const unexplained = before - balance.usd - (spending.spentUsd - chargeUsd);
  report.ok(
    unexplained < chargeUsd / 2
      ? 'The balance shows that the failed task was refunded. gateway.spend still counts it.'
      : 'The balance shows no refund for the failed task.',
  );
}

/** The largest image that is downloaded, in bytes. */
const maxBytes = 100 * 1024 * 1024;

/** Whether the result of the image task can be downloaded. */
export const download = (result: SucceededGeneration<'image'> | undefined): Check => ({
  id: 'download',
  title: 'Download',
  requires: 'key',
  async run({ client, signal }, report) {
    if (result === undefined) return report.skipped('There is no result to download.');
    const downloader = allowOwnLoopback(client, result.urls[0]);
    const response = await downloader.download(result, { maxBytes, signal });
    const { byteLength } = await response.arrayBuffer();
    const type = response.headers.get('content-type') ?? 'unknown type';
    if (byteLength === 0 || !/^(image\/|application\/octet-stream|binary)/.test(type)) {
      return report.warning(`The URL of the image returns ${byteLength} bytes of ${type}.`, {
        advice: 'Open the URL of a result in a browser to see what it shows.',
      });
    }
    const unverified =
      response.complete === true
        ? ''
        : ' Its server reports no size, so a download that is cut off can look complete.';
    report.ok(`The image has ${byteLength} bytes of ${type}.${unverified}`);
  },
});

/**
 * A client that may download from this machine if the gateway runs there: from the origin of the gateway only, and
 * wherever it redirects to.
 */
function allowOwnLoopback(client: Polygate, url: string): Polygate {
  const { origin, hostname } = new URL(client.baseURL);
  if (!isLoopbackHost(hostname) || parseURL(url)?.origin !== origin) return client;
  const { fetch } = contextOf(client);
  return client.withOptions({
    allowInsecureBaseURL: true,
    fetch: (input, init) =>
      new URL(input instanceof Request ? input.url : input).origin === origin
        ? fetch(input, init)
        : Promise.reject(new Error('The result redirects away from the gateway.')),
  });
}
