import type { Polygate } from 'polygate';

import { logOf } from '../../internal/row-driver.ts';
import { lateMove } from '../decisions/chat.ts';
import type { Move } from '../move.ts';
import { repeatInOutage } from '../redis/connection.ts';
import type { RowStore } from '../redis/row-store.ts';
import type { StoredRow } from '../stored-row.ts';
import { textFor } from './step-log.ts';

/**
 * Records the completion of a chat, which was paid for, and which only this process has. Returns false, and logs what it
 * has cost, if the row was retried or removed in the meantime, or Redis cannot be reached anymore.
 */
export async function recordCompletion(
  gateway: Polygate,
  rows: RowStore,
  row: StoredRow,
  move: Move,
): Promise<boolean> {
  const chargeUsd =
    move.settlement?.reservation === 'replace' ? move.settlement.chargeUsd : undefined;
  const warn = (what: string) =>
    logOf(gateway).warn(() => {
      const cost = chargeUsd === undefined ? 'may have been charged' : `has cost ${chargeUsd} USD`;
      return `row ${row.data.id}: the chat completion ${move.state.completion?.id} ${cost}, but ${what}`;
    });
  try {
    const isLate = await repeatInOutage(rows.redis, async () => {
      if (await rows.move(row, move)) return false;
      if (await rows.move(row, lateMove(move))) return false;
      return rows.countLateCharge(row, chargeUsd ?? 0);
    });
    if (isLate) {
      warn('came after its row was retried or removed, so it is not the result of a row.');
    }
    return !isLate;
  } catch (error) {
    warn(`could not be recorded, so its row may end as unknown. ${textFor(error)}`);
    return false;
  }
}
