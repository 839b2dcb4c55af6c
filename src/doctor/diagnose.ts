import { ConfigurationError, assumptions } from 'polygate';
import type { Polygate } from 'polygate';

import { aspects } from './check.ts';
import type { Check } from './check.ts';
import { checks } from './checks.ts';
import { DiagnosisContext } from './context.ts';
import type { DiagnoseOptions, Diagnosis, DiagnosisCheck } from './diagnosis.ts';
import { describeEarlyEnd, earlyEnd } from './early-end.ts';
import { describeFailure } from './failure.ts';
import { Report } from './report.ts';
import type { AssumptionId, Finding } from './report.ts';
import { plainText } from './text.ts';

/**
 * Checks whether a service behaves as the client assumes, and which options to set where it does not.
 *
 * Without `maxSpendUsd`, it sends only requests that are free and change nothing. With it, it also sends paid requests
 * with the cheapest models, for at most that amount at the prices that the service lists, whatever the client has spent
 * before. The client's own `budget` does not apply to them; its `onCharge` and `spend` include them.
 *
 * Resolves even if the service fails or responds with nonsense: failures are findings. Each of the assumptions A1 to A22
 * is the `assumption` of exactly one finding.
 *
 * @example
 * ```ts
 * const { checks } = await diagnose({ gateway, maxSpendUsd: 0.1 });
 * for (const { status, title, detail } of checks) console.log(status, title, detail);
 * ```
 *
 * @throws `ConfigurationError` if an option is invalid; and whatever `onStart` or `onCheck` throws.
 */
export async function diagnose({
  gateway,
  maxSpendUsd,
  signal,
  onStart,
  onCheck,
}: { gateway: Polygate } & DiagnoseOptions): Promise<Diagnosis> {
  if (typeof gateway?.withOptions !== 'function') {
    throw new ConfigurationError('gateway: must be a Polygate client.');
  }
  if (maxSpendUsd !== undefined && !(maxSpendUsd >= 0 && maxSpendUsd < Infinity)) {
    throw new ConfigurationError('maxSpendUsd: must be a number of at least 0.');
  }
  const context = new DiagnosisContext(gateway, maxSpendUsd, signal);
  const findings: DiagnosisCheck[] = [];
  const reported = new Set<AssumptionId>();
  for (const check of checks) {
    await runCheck(check, context, reported, onStart, (finding) => {
      findings.push(finding);
      onCheck?.(finding);
    });
  }
  const { spentUsd, unconfirmedUsd } = context.spending;
  return {
    ok: !signal?.aborted && findings.every(({ status }) => status !== 'failed'),
    spentUsd,
    ...(unconfirmedUsd > 0 && { unconfirmedUsd }),
    checks: findings,
  };
}

/** Runs a check, unless there is a reason to skip it. Adds a finding for each assumption that it leaves open. */
async function runCheck(
  check: Check,
  context: DiagnosisContext,
  reported: Set<AssumptionId>,
  onStart: DiagnoseOptions['onStart'],
  onFinding: (finding: DiagnosisCheck) => void,
): Promise<void> {
  const ids = new Set<string>();
  const open = () => (check.assumptions ?? []).filter(([id]) => !reported.has(id));
  let callbackError: { readonly error: unknown } | undefined;
  const add = (finding: Finding) => {
    if (callbackError) throw callbackError.error;
    const described = describeFinding(check, finding);
    ids.add(described.id);
    const { assumption, ...other } = described;
    const isRepeated = assumption !== undefined && reported.has(assumption);
    if (assumption !== undefined) reported.add(assumption);
    try {
      onFinding(isRepeated ? other : described);
    } catch (error) {
      callbackError = { error };
      throw error;
    }
  };
  /** Ends the check, with a finding about what it is for. */
  const end = (finding: Finding) => {
    const subject = open().find(([id]) => !(id in aspects))?.[0];
    const aspect = ids.has(check.id) ? 'error' : undefined;
    add(subject ? { assumption: subject, ...finding } : { aspect, ...finding });
  };
  let interruption = reasonToSkip(check, context);
  if (interruption === undefined) {
    onStart?.({ id: check.id, title: check.title });
    let unconfirmedBefore = context.spending.unconfirmedUsd;
    const report = new Report((finding) => {
      const { assumption, status, detail } = finding;
      unconfirmedBefore = context.spending.unconfirmedUsd;
      if (status === 'skipped' && !assumption) interruption = detail;
      // An earlier check has reported the assumption, so only a contradiction is worth reporting.
      const isKnown =
        assumption && reported.has(assumption) && (status === 'ok' || status === 'skipped');
      if (!isKnown) add(finding);
    });
    try {
      await check.run(context, report);
    } catch (error) {
      const unconfirmedUsd = context.spending.unconfirmedUsd - unconfirmedBefore;
      const finding = describeError(error, context, unconfirmedUsd);
      interruption = finding.detail;
      end(finding);
    }
  } else {
    end({ status: 'skipped', detail: interruption });
  }
  for (const [assumption, reason] of open()) {
    add({ assumption, status: 'skipped', detail: interruption ?? reason ?? 'Not tested.' });
  }
  // Whatever the check has done with it.
  if (callbackError) throw callbackError.error;
}

/** Describes the error that has ended a check. */
function describeError(error: unknown, context: DiagnosisContext, unconfirmedUsd: number): Finding {
  if (context.signal?.aborted) {
    return describeEarlyEnd(context, context.signal, error, unconfirmedUsd);
  }
  const finding = describeFailure(error);
  if (unconfirmedUsd > 0) finding.advice ??= 'Check the charges in your account.';
  return finding;
}

function reasonToSkip(
  { needs }: Check,
  { signal, noGateway, noKey }: DiagnosisContext,
): string | undefined {
  if (signal?.aborted) return `${earlyEnd(signal)} before this check started.`;
  return (needs && noGateway) ?? (needs === 'key' ? noKey : undefined);
}

/** Completes a finding: its id and title are those of its assumption, if that is only one aspect of the check. */
function describeFinding(check: Check, finding: Finding): DiagnosisCheck {
  const { assumption, status, advice, option } = finding;
  const ownAspect = aspects[assumption ?? ''];
  const { aspect = ownAspect } = finding;
  const gap = ownAspect && assumptions.find(({ id }) => id === assumption)?.gap;
  return {
    id: aspect === undefined ? check.id : `${check.id}.${aspect}`,
    title: finding.title ?? gap ?? check.title,
    status,
    detail: plainText(finding.detail),
    ...(assumption && { assumption }),
    ...(advice !== undefined && { advice: plainText(advice) }),
    ...(option && { option }),
  };
}
