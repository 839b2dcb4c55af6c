import { APIError, ConflictError } from 'polygate';

import type { Check } from '../check.ts';
import { messageOf } from '../failure.ts';
import { resubmitFindings } from './charge-findings.ts';
import { resubmit } from './submit-image.ts';

/** What happens to a key that is reused with other params. Assumption A13. */
export const conflict: Check = {
  id: 'conflict',
  title: 'Reused key',
  needs: 'key',
  assumptions: [['A13', 'No image was submitted whose key could be reused.']],
  async *run(context) {
    const { paidTask, spending } = context;
    if (paidTask === undefined) return;
    const assumption = 'A13';
    const problem = spending.problem(paidTask.priceUsd);
    if (problem !== undefined) {
      yield { assumption, status: 'skipped', detail: problem };
      return;
    }
    try {
      const other = await resubmit(context, paidTask, 'A white square');
      yield other.id === paidTask.task.id
        ? {
            assumption,
            status: 'ok',
            detail: 'A key that is reused with other params returns the original task.',
          }
        : {
            assumption,
            status: 'warning',
            detail:
              'A key that is reused with other params creates a second task, which is charged.',
            advice: 'Never use one key for two requests: nothing would warn you.',
          };
      yield* resubmitFindings(context, paidTask, other);
    } catch (error) {
      if (!APIError.is(error) || error.status === 429) throw error;
      yield ConflictError.is(error)
        ? {
            assumption,
            status: 'ok',
            detail: 'A key that is reused with other params is rejected with a 409.',
          }
        : {
            assumption,
            status: 'warning',
            detail: `A key that is reused with other params fails with ${messageOf(error)}`,
          };
    }
  },
};
