import type { DiagnosisCheck } from 'polygate/doctor';

/** Skipped checks that share a line. */
export interface SkippedLine {
  readonly title: string;
  readonly detail: string;
}

/** The checks that cost money, and the findings about their aspects. */
const paidChecks = /^(chat|stream|image-task|replay|conflict|download)\b/;

/** Whether a check or a finding is one of those that run only with a spending limit. */
export const isPaid = ({ id }: Pick<DiagnosisCheck, 'id'>): boolean => paidChecks.test(id);

const unpaid = 'They cost money and were not run.';
const untested = 'They were not tested. --verbose says why.';

/**
 * Returns one line per reason for which checks were skipped, so that the numbers in the lines add up to that of the result.
 * In a run without a spending limit, the checks that cost money share a line, and so do, in any run, assumptions whose
 * reason needs no action.
 */
export function skippedLines(
  skipped: readonly DiagnosisCheck[],
  maxSpendUsd: number | undefined,
): SkippedLine[] {
  const isUnpaidRun =
    maxSpendUsd === undefined &&
    skipped.some((check) => isPaid(check) && check.skipReason === 'too-expensive');
  const isUnpaid = (check: DiagnosisCheck) => isUnpaidRun && isPaid(check);
  const isMinor = (check: DiagnosisCheck) =>
    !isPaid(check) && check.assumption !== undefined && check.advice === undefined;
  const reasons = new Set(
    skipped.filter((check) => !isUnpaid(check) && !isMinor(check)).map(({ detail }) => detail),
  );
  const reasonOf = (check: DiagnosisCheck) => {
    if (isUnpaid(check)) return unpaid;
    return isMinor(check) && !reasons.has(check.detail) ? untested : check.detail;
  };
  const groups = new Map<string, DiagnosisCheck[]>();
  for (const check of skipped) {
    const reason = reasonOf(check);
    groups.set(reason, [...(groups.get(reason) ?? []), check]);
  }
  return Array.from(groups, ([reason, checks]) => {
    const [only, ...others] = checks;
    return only !== undefined && others.length === 0
      ? { title: only.title, detail: only.detail }
      : { title: `${checks.length} checks`, detail: reason };
  });
}
