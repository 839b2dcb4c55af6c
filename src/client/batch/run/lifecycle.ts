/** How a run begins and ends the use of its journal. */
import { PolygateError } from '../../../errors/base.ts';
import { noCost } from '../journal/row-cost.ts';
import { isLostChat, unpricedSubmits } from '../journal/row-history.ts';
import type { RunContext } from './context.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Locks the journal where two processes could pay twice or exceed the budget together, and adds up what earlier runs
 * have spent. Called when the journal has been read.
 */
export async function beginRun(context: RunContext): Promise<void> {
  const { journal, budget, maxUsd, resendUnknown } = context;
  if (journal.hasChats || resendUnknown || maxUsd !== undefined) {
    await journal.lock({ isRequired: resendUnknown });
  }
  for (const row of journal.earlier.byId.values()) {
    const { cost = noCost, path = '' } = row;
    budget.addEarlier({ cost, path, unpriced: unpricedSubmits(row) });
  }
  if (resendUnknown) warnOfLostChats(context);
}

function warnOfLostChats({ journal, config }: RunContext): void {
  const lost = [...journal.earlier.byId.values()].filter(isLostChat).length;
  const { damagedCount } = journal;
  if (lost + damagedCount === 0) return;
  config.log.warn(
    () =>
      `resendUnknown: ${lost} chats in the journal may have been charged, and are charged again if they are sent again` +
      (damagedCount > 0 ? `; so may be chats of ${damagedCount} damaged lines.` : '.'),
  );
}

/**
 * Ends the use of the journal, when the outcomes of all chats are recorded. If the run was cut short and that takes
 * long, it continues in the background: a lock that is released before would let another process send the same chats.
 *
 * A run that was not aborted, has no chat in flight and marks no torn line waits until the journal has released its
 * lock or the caller aborts, however long that takes: also if the caller has left its loop while tasks are in flight.
 */
export async function endRun({
  journal,
  sending,
  signal,
  config: { clock, log },
}: RunContext): Promise<void> {
  const isCutShort = signal?.aborted === true || sending.size > 0 || journal.isMarking;
  const end = async () => {
    await Promise.allSettled(sending);
    await journal.close();
  };
  const error = () => new Error('lines are still being written');
  await untilAborted(end, { signal, isCutShort, clock, error }).catch((thrown: unknown) => {
    const reason = PolygateError.is(thrown) ? thrown.message : String(thrown);
    log.error(() => `journal: closing failed (${reason}).`);
  });
}
