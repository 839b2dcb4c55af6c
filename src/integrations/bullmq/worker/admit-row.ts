import { decideReservation, unlimited } from '../decisions/budget.ts';
import type { Admission } from '../decisions/refusal.ts';
import type { RowStore } from '../redis/row-store.ts';
import { parseSpend } from '../redis/spend.ts';
import type { RowVersion } from '../stored-row.ts';

/** A row that may submit as soon as the budget covers it and a slot is free. */
export interface Applicant {
  readonly row: RowVersion;
  /** Its price in USD; undefined if it is not known. */
  readonly priceUsd: number | undefined;
  /** The budget of the queue in USD, if there is one. */
  readonly maxUsd: number | undefined;
  /** Id of the admission: one that is repeated after an outage keeps it, and admits the row once. */
  readonly admissionId: string;
}

/**
 * Tries to admit a row. The budget is read first, and Redis admits the row only if it has not changed since.
 */
export async function admitRow(
  rows: RowStore,
  { row, priceUsd, maxUsd = Infinity, admissionId }: Applicant,
): Promise<Admission> {
  if (maxUsd === Infinity) {
    return rows.admit(row, { decision: 'reserve', reservation: unlimited, seen: '' }, admissionId);
  }
  const seen = await rows.readSpend();
  const purchase = { path: row.data.path, priceUsd };
  const { decision, reservation, problem } = decideReservation(parseSpend(seen), purchase, maxUsd);
  const admission = await rows.admit(row, { decision, reservation, seen }, admissionId);
  const isExceeded = !admission.admitted && admission.reason === 'exceeded';
  return isExceeded ? { ...admission, problem } : admission;
}
