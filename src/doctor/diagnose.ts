import { ConfigurationError } from 'polygate';
import type { Polygate } from 'polygate';

import type { Check, CheckSubject } from './check.ts';
import { runChecks } from './checks.ts';
import { DiagnosisContext } from './context.ts';
import type { DiagnoseOptions, Diagnosis } from './diagnosis.ts';
import { describeEarlyEnd, earlyEnd } from './early-end.ts';
import { describeFailure } from './failure.ts';
import { Findings } from './findings.ts';
import { Report } from './report.ts';
import type { Finding, Skip } from './report.ts';

/**
 * Checks whether a service behaves as the client assumes, and which options to set where it does not.
 *
 * Without `maxSpendUsd`, it sends only requests that are free and change nothing. With it, it adds paid requests
 * with the cheapest models, for at most that amount at the prices that the service lists, whatever the client has
 * spent before. The client's own `budget` does not apply to them; its `onCharge` and `spend` include them.
 *
 * Resolves even if the service fails or responds with nonsense: failures are findings. Each of the assumptions A1 to
 * A22 is the `assumption` of exactly one finding.
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
  const findings = new Findings(onCheck);
  await runChecks((check) => runCheck(check, context, findings, onStart));
  const { spentUsd, unconfirmedUsd } = context.spending;
  return {
    ok: !signal?.aborted && findings.all.every(({ status }) => status !== 'failed'),
    spentUsd,
    ...(unconfirmedUsd > 0 && { unconfirmedUsd }),
    checks: findings.all,
  };
}

/**
 * Runs a check, unless there is a reason to skip it, and returns its output. Adds a finding for each assumption that it
 * leaves open.
 */
async function runCheck<Output>(
  check: Check<Output>,
  context: DiagnosisContext,
  findings: Findings,
  onStart: DiagnoseOptions['onStart'],
): Promise<Output | undefined> {
  let output: Output | undefined;
  let skip = reasonToSkip(check, context);
  if (skip === undefined) {
    onStart?.({ id: check.id, title: check.title });
    skip = await execute(check, context, findings, (kept) => {
      output = kept;
    });
  } else {
    findings.addEnd(check, { status: 'skipped', ...skip });
  }
  for (const [assumption, reason = 'Not tested.'] of findings.openAssumptions(check)) {
    findings.add(check, { assumption, status: 'skipped', ...(skip ?? { detail: reason }) });
  }
  // The check may have caught it.
  findings.throwCallbackError();
  return output;
}

/** Executes a check. Returns why it did not get to its end; undefined if it did. */
async function execute<Output>(
  check: Check<Output>,
  context: DiagnosisContext,
  findings: Findings,
  keep: (output: Output) => void,
): Promise<Skip | undefined> {
  const { spending } = context;
  let skip: Skip | undefined;
  // What requests before the latest finding may have cost. An error is about those after it.
  let unconfirmedBefore = spending.unconfirmedUsd;
  const report = new Report((finding) => {
    const { assumption, status, detail, skipReason } = finding;
    unconfirmedBefore = spending.unconfirmedUsd;
    if (status === 'skipped' && !assumption) skip = { detail, skipReason };
    // An earlier check has reported the assumption, so only a contradiction is worth reporting.
    const isKnown = findings.hasReported(assumption) && (status === 'ok' || status === 'skipped');
    if (!isKnown) findings.add(check, finding);
  });
  try {
    await check.run(context, report, keep);
    return skip;
  } catch (error) {
    const finding = describeError(error, context, spending.unconfirmedUsd - unconfirmedBefore);
    findings.addEnd(check, finding);
    return { detail: finding.detail, skipReason: finding.skipReason };
  }
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
  { requires }: CheckSubject,
  { signal, unmet }: DiagnosisContext,
): Skip | undefined {
  if (signal?.aborted) return { detail: `${earlyEnd(signal)} before this check started.` };
  const detail = (requires && unmet.gateway) ?? (requires === 'key' ? unmet.key : undefined);
  return detail === undefined ? undefined : { detail };
}
