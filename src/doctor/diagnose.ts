import { ConfigurationError } from 'polygate';
import type { Polygate } from 'polygate';

import { CheckRun } from './check-run.ts';
import type { Check, CheckSubject } from './check.ts';
import { runChecks } from './checks.ts';
import { DiagnosisContext } from './context.ts';
import type { DiagnoseOptions, Diagnosis } from './diagnosis.ts';
import { earlyEnd } from './early-end.ts';
import { Findings } from './findings.ts';
import type { Skip } from './report.ts';

/**
 * Checks whether a service behaves as the client assumes, and which options to set where it does not.
 *
 * Without `maxSpendUsd`, it sends only requests that are free and change nothing. With it, it adds paid requests
 * with the cheapest models, for at most that amount at the prices that the service lists, regardless of what the client
 * has spent before. The client's own `budget` does not apply to them; its `onCharge` and `spend` include them.
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
 * @throws `ConfigurationError` if an option is invalid; and what `onStart` or `onCheck` throws.
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
  const run = new CheckRun(check, context, findings);
  const skip = reasonToSkip(check, context);
  if (skip === undefined) {
    onStart?.({ id: check.id, title: check.title });
    await run.execute();
  } else {
    run.skipRest({ status: 'skipped', ...skip });
  }
  run.addOpenAssumptions();
  // The check may have caught it.
  findings.throwCallbackError();
  return run.output;
}

function reasonToSkip(
  { requires }: CheckSubject,
  { signal, unmet }: DiagnosisContext,
): Skip | undefined {
  if (signal?.aborted) return { detail: `${earlyEnd(signal)} before this check started.` };
  const detail = (requires && unmet.gateway) ?? (requires === 'key' ? unmet.key : undefined);
  return detail === undefined ? undefined : { detail };
}
