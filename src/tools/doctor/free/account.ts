import { blockers } from 'polygate';
import type { Account } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { formatUsd } from '../../money.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { errorResponse, isAboutEndpoint, messageOf, ifAvailable } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { list } from '../text.ts';

/** Whether the service accepts the API key. */
export const authentication: Check<Account> = {
  id: 'authentication',
  title: 'API key',
  requires: 'gateway',
  async run(context, report, keep) {
    const { client, signal } = context;
    try {
      keep((await context.read(client.account.retrieve({ signal }))).data);
    } catch (error) {
      return tryModels(context, report, error);
    }
    context.unmet.key = undefined;
    report.ok('The service accepts the API key.');
  },
};

/** Whether a key that failed to read the account is accepted for the models. */
async function tryModels(context: DiagnosisContext, report: Report, error: unknown): Promise<void> {
  const { client, signal } = context;
  context.unmet.key = 'The API key could not be used.';
  const need = needed.apiKey(error);
  if (need) return report.failed(messageOf(error), need);
  context.unmet.key = 'The API key could not be checked.';
  const response = errorResponse(error);
  if (response === undefined || !isAboutEndpoint(error)) throw error;
  const { status } = response.meta;
  await context.read(client.models.list({}, { signal }));
  context.unmet.key = undefined;
  const detail = `The API key can list the models, but not read the account (status ${status}).`;
  // A proxy may not forward the account.
  if (status === 403) return report.ok(detail);
  const advice =
    'account.retrieve() fails, and paid checks cannot see the wallet: run doctor again, or ask the operator.';
  report.warning(detail, { advice });
}

/** Whether the account is ready, and what blocks it. */
export const readiness: Check = {
  id: 'readiness',
  title: 'Readiness of the account',
  requires: 'key',
  async run(context, report) {
    const { client, signal } = context;
    const received = await ifAvailable(report, context.read(client.account.readiness({ signal })));
    if (received === undefined) return;
    const { data } = received;
    const describe = (items: typeof data.checks) =>
      list(items.map(({ id, status }) => `${id} (${status})`));
    const blocking = blockers(data);
    const advisory = data.checks.filter(({ required, status }) => !required && status !== 'ready');
    if (blocking.length > 0) {
      const advice = 'Resolve these checks in the account before you go to production.';
      report.failed(`Blocked by ${describe(blocking)}.`, { advice });
    } else if (advisory.length > 0) {
      report.warning(`Ready, but these optional checks are not: ${describe(advisory)}.`);
    } else if (data.status !== 'ready') {
      report.warning(`No required check blocks the account, but its status is "${data.status}".`);
    } else {
      report.ok(`Ready, with ${data.checks.length} checks.`);
    }
  },
};

/** What the wallet holds, and how many requests may run at once. */
export const wallet = (account: Account | undefined): Check => ({
  id: 'wallet',
  title: 'Wallet',
  requires: 'key',
  run({ spending }, report) {
    if (account === undefined) return report.skipped('The account cannot be read.');
    // The types describe what the service should send.
    const { balance, concurrency }: { balance?: unknown; concurrency?: unknown } = account;
    const balanceUsd = isRecord(balance) ? balance['usd'] : undefined;
    if (typeof balanceUsd !== 'number') {
      report.warning('The account record has no balance in USD.');
    } else {
      spending.walletUsd = balanceUsd;
      const detail = `The balance is ${formatUsd(balanceUsd)}.`;
      const advice = 'Top up the balance: paid requests fail with a 402.';
      if (balanceUsd > 0) report.ok(detail);
      else report.failed(detail, { advice });
    }
    const limit = isRecord(concurrency) ? concurrency['limit'] : undefined;
    if (limit !== 0) return;
    spending.block('The concurrency limit of the account is 0.');
    report
      .onAspect('concurrency', 'Concurrency limit')
      .failed(
        'The concurrency limit is 0: the service rejects every chat and generation with a 429.',
        { advice: 'Ask the operator of the service to raise the limit.' },
      );
  },
});

/** Whether the key itself is limited: quota, expiry, models. */
export const keyBalance: Check = {
  id: 'key-balance',
  title: 'Quota of the API key',
  requires: 'key',
  async run(context, report) {
    const { client, signal } = context;
    const received = await ifAvailable(report, context.read(client.account.balance({ signal })));
    if (received === undefined) return;
    const { data }: { data?: unknown } = received.data;
    const token = isRecord(data) ? data['token'] : undefined;
    if (!isRecord(token)) return report.warning('The record says nothing about the key.');
    const { unlimited_quota, remain_quota, expired_time, model_limits_enabled } = token;
    const expiresAt = typeof expired_time === 'number' ? expired_time : -1;
    const left = typeof remain_quota === 'number' ? remain_quota : undefined;
    if (unlimited_quota !== true && left !== undefined && left <= 0) {
      const advice = 'Raise the quota of the key: paid requests fail.';
      report.failed('The quota of the key is used up.', { advice });
    } else if (expiresAt > 0 && expiresAt * 1000 < Date.now()) {
      const detail = `The key expired at ${new Date(expiresAt * 1000).toISOString()}.`;
      report.failed(detail, { advice: 'Create another key.' });
    } else if (model_limits_enabled === true) {
      report.warning('The key may use only some of the models.');
    } else if (unlimited_quota === true) {
      report.ok('The key has no quota of its own.');
    } else if (left === undefined) {
      report.warning('The record says nothing about the quota of the key.');
    } else {
      report.ok('The key has quota left.');
    }
  },
};
