import { APIError, ConflictError } from 'polygate';

import type { Check } from '../run/check.ts';
import { messageOf } from '../run/failure.ts';
import { payAgain } from './submit-image.ts';
import type { PaidTask } from './submit-image.ts';

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
    try {
      const problem = await payAgain(context, report, { ...paidTask, params }, ({ id }) => {
        if (id === paidTask.task.id) {
          about.ok('A key that is reused with other params returns the original task.');
        } else {
          about.warning(
            'A key that is reused with other params creates a second task, which is charged.',
            { advice: 'Never use one key for two requests: nothing would warn you.' },
          );
        }
      });
      if (problem !== undefined) about.skipped(problem);
    } catch (error) {
      if (!APIError.is(error) || error.status === 429) throw error;
      if (ConflictError.is(error)) {
        about.ok('A key that is reused with other params is rejected with a 409.');
      } else {
        about.warning(`A key that is reused with other params fails with ${messageOf(error)}`);
      }
    }
  },
});
