import { abortedError } from '../../../errors/call.ts';
import { errorRecord } from '../row.ts';
import type { StoredRow } from '../stored-row.ts';
import { endOfUnaccepted } from './failures.ts';
import { after } from './next-time.ts';
import { settlementOfEarlier } from './settlement.ts';
import type { Step } from './step.ts';

/**
 * What follows for a row that was admitted after its worker had been closed, as when Redis was unreachable meanwhile:
 * it is not sent, so that another worker may submit it. `mayBeCharged`: an earlier submission under the key may have
 * been.
 */
export function afterClose({ data, state, key }: StoredRow, mayBeCharged: boolean): Step {
  const isChat = data.kind === 'chat';
  const message = 'The worker was closed before the row was sent.';
  const unsent = abortedError(undefined, { outcome: 'not-sent' }, message);
  const { error } = endOfUnaccepted(unsent, mayBeCharged, isChat);
  return {
    move: {
      from: 'submitting',
      to: 'waiting',
      state: { ...state, mayBeCharged, error: errorRecord(error, isChat ? undefined : key) },
      settlement: settlementOfEarlier(mayBeCharged, isChat),
    },
    next: after(0),
  };
}
