import { isRecord } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';
import { ifAvailable } from '../run/if-available.ts';

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
