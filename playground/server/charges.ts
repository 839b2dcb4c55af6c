import type { Attempt, InvoiceLine } from '../shared/lab.ts';

/**
 * Adds to each attempt what it was charged. The invoice also has the charges whose responses were lost. Without one, the
 * responses have to be believed.
 */
export function attributeCharges(
  attempts: readonly Attempt[],
  invoice: readonly InvoiceLine[] | undefined,
): Attempt[] {
  const charged = attempts.map((attempt) => ({ ...attempt }));
  if (invoice === undefined) for (const attempt of charged) believe(attempt, charged);
  for (const line of invoice ?? []) {
    // A retry that arrived after the charge was not the one that was charged.
    const attempt = charged.findLast(({ at, ...sent }) => at <= line.at && isChargeOf(line, sent));
    if (attempt === undefined) continue;
    if (line.kind === 'charge') attempt.chargedUsd = (attempt.chargedUsd ?? 0) + line.usd;
  }
  for (const line of invoice ?? []) {
    const attempt = charged.find((sent) => sent.chargedUsd !== undefined && isChargeOf(line, sent));
    if (line.kind === 'refund' && attempt !== undefined) {
      attempt.refundedUsd = (attempt.refundedUsd ?? 0) - line.usd;
    }
  }
  return charged;
}

/** The charge in a replay belongs to the earlier attempt whose response was lost. */
function believe(attempt: Attempt, all: readonly Attempt[]): void {
  const { replay, key, number, reportedUsd } = attempt;
  const charged = replay
    ? all.find((other) => other.number < number && other.key === key && other.status === undefined)
    : attempt;
  if (charged !== undefined) charged.chargedUsd ??= reportedUsd;
}

function isChargeOf({ route, key, requestId }: InvoiceLine, attempt: Omit<Attempt, 'at'>): boolean {
  if (route !== `${attempt.method} ${attempt.path}`) return false;
  return key === undefined ? attempt.requestId === requestId : attempt.key === key;
}
