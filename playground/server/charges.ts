import type { Attempt, InvoiceLine } from '../shared/lab.ts';

/**
 * Adds to each attempt what it was charged. The invoice also has the charges whose responses were lost. Without one, the
 * responses have to be believed: the charge in a replay belongs to an earlier attempt.
 */
export function attributeCharges(
  attempts: readonly Attempt[],
  invoice: readonly InvoiceLine[] | undefined,
): Attempt[] {
  if (invoice === undefined) {
    return attempts.map((attempt) =>
      attempt.replay ? attempt : { ...attempt, chargedUsd: attempt.reportedUsd },
    );
  }
  const charged = attempts.map((attempt) => ({ ...attempt }));
  for (const line of invoice) {
    // A retry with the same key that arrived later was not the one that was charged.
    const attempt = charged.findLast(
      (candidate) => candidate.at <= line.at && isChargeOf(line, candidate),
    );
    if (attempt === undefined) continue;
    if (line.kind === 'charge') attempt.chargedUsd = (attempt.chargedUsd ?? 0) + line.usd;
  }
  for (const line of invoice) {
    if (line.kind !== 'refund') continue;
    const attempt = charged.find(
      (candidate) => candidate.chargedUsd !== undefined && isChargeOf(line, candidate),
    );
    if (attempt !== undefined) attempt.refundedUsd = (attempt.refundedUsd ?? 0) - line.usd;
  }
  return charged;
}

function isChargeOf({ route, key, requestId }: InvoiceLine, attempt: Attempt): boolean {
  if (route !== `${attempt.method} ${attempt.path}`) return false;
  return key === undefined ? attempt.requestId === requestId : attempt.key === key;
}
