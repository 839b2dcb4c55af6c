import { blockers } from 'polygate';

import type { Check } from '../run/check.ts';
import { ifAvailable } from '../run/if-available.ts';
import { list } from '../text.ts';

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
