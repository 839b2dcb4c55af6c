import { TaskFailedError, TaskWaitTimeoutError } from 'polygate';
import type { Account } from 'polygate';

import { needed } from '../needed-options.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { describeFailure, isAboutEndpoint, messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { foundPoll } from './poll-path.ts';
import type { PaidTask } from './submit-image.ts';

/** How long the task is waited for. */
export const maxMinutes = 3;

/** Describes a task that was submitted and has no result. */
export async function reportNoResult(
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
