import { abortedError } from '../../errors/aborted.ts';
import { errorRecord } from '../row.ts';
import type { StoredRow } from '../stored-row.ts';
import { after } from './next-time.ts';
import { keep, release } from './settlement.ts';
import type { Step } from './step.ts';

/**
 * What follows for a row that was admitted after its worker had been closed, as when Redis was unreachable meanwhile:
 * it is not sent, so that another worker may submit it. `mayBeCharged`: an earlier submission under the key may have
 * been. What an earlier request for a chat may have cost was spent when it was retried.
 */
export function afterClose({ data, state, key }: StoredRow, mayBeCharged: boolean): Step {
  const isChat = data.kind === 'chat';
  const message = 'The worker was closed before the row was sent.';
  const error = abortedError(undefined, { outcome: 'not-sent' }, message);
  return {
    move: {
      from: 'submitting',
      to: 'waiting',
      state: { ...state, mayBeCharged, error: errorRecord(error, isChat ? undefined : key) },
      settlement: mayBeCharged && !isChat ? keep : release,
    },
    next: after(0),
  };
}
