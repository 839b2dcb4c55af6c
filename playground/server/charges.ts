import type { Attempt, InvoiceLine } from '../shared/lab.ts';

/**
 * Adds to each attempt what it was charged. The invoice also has the charges whose responses were lost. Without one, the
 * responses have to be believed.
 */
export function attributeCharges(
  attempts: readonly Attempt[],
  invoice: readonly InvoiceLine[] | undefined,
): Attempt[] {
  const copies = attempts.map((attempt) => ({ ...attempt }));
  if (invoice === undefined) for (const attempt of copies) addReported(attempt, copies);
  for (const line of invoice ?? []) {
    if (line.kind === 'refund') continue;
    // A retry that arrived after the charge was not the one that was charged.
    const charged = copies.findLast((sent) => sent.at <= line.at && isChargeOf(line, sent));
    if (charged !== undefined) charged.chargedUsd = (charged.chargedUsd ?? 0) + line.usd;
  }
  for (const line of invoice ?? []) {
    if (line.kind === 'charge') continue;
    const charged = copies.find((sent) => sent.chargedUsd !== undefined && isChargeOf(line, sent));
    if (charged !== undefined) charged.refundedUsd = (charged.refundedUsd ?? 0) - line.usd;
  }
  return copies;
}

/** Adds the charge that a response reports. That of a replay belongs to the earlier attempt whose response was lost. */
function addReported(attempt: Attempt, all: readonly Attempt[]): void {
  const { replay, key, number, reportedUsd } = attempt;
  const charged = replay
    ? all.find((other) => other.number < number && other.key === key && other.status === undefined)
    : attempt;
  if (charged !== undefined) charged.chargedUsd ??= reportedUsd;
}

function isChargeOf({ route, key, requestId }: InvoiceLine, attempt: Attempt): boolean {
  if (route !== `${attempt.method} ${attempt.path}`) return false;
  return key === undefined ? attempt.requestId === requestId : attempt.key === key;
}
