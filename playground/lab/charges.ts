import type { Attempt, InvoiceLine } from '../shared/lab.ts';

/**
 * Adds to each attempt what it was charged. The invoice also has the charges whose responses were lost. Without an
 * invoice, the charges are those that the responses report.
 */
export function attributeCharges(
  attempts: readonly Attempt[],
  invoice: readonly InvoiceLine[] | undefined,
): Attempt[] {
  const copies = attempts.map((attempt) => ({ ...attempt }));
  if (invoice === undefined) for (const attempt of copies) addReportedCharge(attempt, copies);
  for (const line of invoice ?? []) {
    if (line.kind === 'refund') continue;
    // A retry that arrived after the charge was not the one that was charged, and neither was a replay, which may
    // arrive within the same millisecond.
    const charged = copies.findLast(
      (copy) => copy.at <= line.at && !copy.replay && isLineOf(line, copy),
    );
    if (charged !== undefined) charged.chargedUsd = (charged.chargedUsd ?? 0) + line.usd;
  }
  for (const line of invoice ?? []) {
    if (line.kind === 'charge') continue;
    const charged = copies.find((copy) => copy.chargedUsd !== undefined && isLineOf(line, copy));
    if (charged !== undefined) charged.refundedUsd = (charged.refundedUsd ?? 0) - line.usd;
  }
  return copies;
}

/** Adds the charge that a response reports. That of a replay belongs to the earlier attempt whose response was lost. */
function addReportedCharge(attempt: Attempt, all: readonly Attempt[]): void {
  const { replay, key, number, reportedUsd } = attempt;
  const charged = replay
    ? all.find((other) => other.number < number && other.key === key && other.status === undefined)
    : attempt;
  if (charged !== undefined) charged.chargedUsd ??= reportedUsd;
}

/** Whether a line of the invoice belongs to the API call of an attempt. */
function isLineOf({ route, key, requestId }: InvoiceLine, attempt: Attempt): boolean {
  if (route !== `${attempt.method} ${attempt.path}`) return false;
  return key === undefined ? attempt.requestId === requestId : attempt.key === key;
}
