import { APIError } from 'polygate';

import type { Check } from '../run/check.ts';
import { messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import type { Sent, Skipped } from './pay.ts';
import { isRejectedKey, resubmit } from './submit-image.ts';
import type { PaidTask, Resubmit } from './submit-image.ts';

/** What happens to a key that is reused with other params. Assumption A13. */
export const conflict = (paidTask: PaidTask | undefined): Check => ({
  id: 'conflict',
  title: 'Reused key',
  requires: 'key',
  assumptions: [{ id: 'A13', ifOpen: 'No image task is known whose key could be reused.' }],
  async run(context, report) {
    if (paidTask === undefined) return;
    const about = report.on('A13');
    const params = { ...paidTask.params, prompt: 'A white square' };
    let sent: Sent<Resubmit> | Skipped;
    try {
      sent = await resubmit(context, report, { ...paidTask, params });
    } catch (error) {
      return describeError(error, about);
    }
    if (sent.kind === 'skipped') about.skipped(sent.reason);
    else describeResubmit(sent.result, about);
  },
});

function describeResubmit({ isSame, isFree }: Resubmit, about: Report): void {
  const advice = 'Never use one key for two requests: nothing would warn you.';
  if (!isSame) {
    about.warning(
      'A key that is reused with other params creates a second task, which is charged.',
      { advice },
    );
  } else if (!isFree) {
    about.warning(
      'A key that is reused with other params returns the original task, but reports a charge.',
      { advice },
    );
  } else {
    about.ok('A key that is reused with other params returns the original task.');
  }
}

function describeError(error: unknown, about: Report): void {
  if (!APIError.is(error) || error.status === 429) throw error;
  if (isRejectedKey(error)) {
    return about.ok('A key that is reused with other params is rejected with a 409.');
  }
  about.warning(`A key that is reused with other params fails with ${messageOf(error)}`);
}
