import { ConfigurationError, assumptions } from 'polygate';
import type { Polygate } from 'polygate';

import { aspects } from './check.ts';
import type { AssumptionId, Check, Finding, Findings } from './check.ts';
import { checks } from './checks.ts';
import { DiagnosisContext } from './context.ts';
import type { DiagnoseOptions, Diagnosis, DiagnosisCheck } from './diagnosis.ts';
import { describeFailure } from './failure.ts';
import { plainText, usd } from './text.ts';

const aborted = 'The run was aborted before this check ended.';

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
    for await (const finding of findingsOf(check, context, reported, onStart)) {
      findings.push(finding);
      onCheck?.(finding);
    }
  }
  const { spentUsd, unconfirmedUsd } = context.spending;
  return {
    ok: findings.every(({ status }) => status !== 'failed'),
    spentUsd,
    ...(unconfirmedUsd > 0 && { unconfirmedUsd }),
    checks: findings,
  };
}

/** Runs a check, unless there is a reason to skip it. Adds a finding for each assumption that it leaves open. */
async function* findingsOf(
  check: Check,
  context: DiagnosisContext,
  reported: Set<AssumptionId>,
  onStart: DiagnoseOptions['onStart'],
): AsyncGenerator<DiagnosisCheck, void, undefined> {
  const ids = new Set<string>();
  const open = () => (check.assumptions ?? []).filter(([id]) => !reported.has(id));
  const describe = (finding: Finding): DiagnosisCheck => {
    const described = describeFinding(check, finding);
    ids.add(described.id);
    const { assumption, ...other } = described;
    if (assumption === undefined) return described;
    if (reported.has(assumption)) return other;
    reported.add(assumption);
    return described;
  };
  /** Ends the check, with a finding about what it is for. */
  const end = (finding: Finding) => {
    const subject = open().find(([id]) => !(id in aspects))?.[0];
    const aspect = ids.has(check.id) ? 'error' : undefined;
    return describe(subject ? { assumption: subject, ...finding } : { aspect, ...finding });
  };
  let interruption = reasonToSkip(check, context);
  if (interruption === undefined) {
    onStart?.({ id: check.id, title: check.title });
    const steps = check.run(context);
    for (;;) {
      const { finding, isError } = await nextFinding(steps, context);
      if (finding === undefined) break;
      const { assumption, status, detail } = finding;
      if (isError || (status === 'skipped' && !assumption)) interruption = detail;
      // An earlier check has reported the assumption, so only a contradiction is worth reporting.
      const isKnown =
        assumption && reported.has(assumption) && (status === 'ok' || status === 'skipped');
      if (!isKnown) yield isError ? end(finding) : describe(finding);
    }
  } else {
    yield end({ status: 'skipped', detail: interruption });
  }
  for (const [assumption, reason] of open()) {
    yield describe({
      assumption,
      status: 'skipped',
      detail: interruption ?? reason ?? 'Not tested.',
    });
  }
}

/** The next finding of a check. An error ends the check with a finding that describes it. */
async function nextFinding(
  steps: Findings,
  context: DiagnosisContext,
): Promise<{ finding: Finding | undefined; isError: boolean }> {
  const unconfirmedBefore = context.spending.unconfirmedUsd;
  try {
    const { value } = await steps.next();
    return { finding: value ?? undefined, isError: false };
  } catch (error) {
    const unconfirmedUsd = context.spending.unconfirmedUsd - unconfirmedBefore;
    if (context.signal?.aborted) return { finding: describeAbort(unconfirmedUsd), isError: true };
    const finding = describeFailure(error);
    if (unconfirmedUsd > 0) finding.advice ??= 'Check the charges in your account.';
    return { finding, isError: true };
  }
}

function describeAbort(unconfirmedUsd: number): Finding {
  if (unconfirmedUsd === 0) return { status: 'skipped', detail: aborted };
  const advice = `Its last request may have been charged ${usd(unconfirmedUsd)}: check the charges in your account.`;
  return { status: 'warning', detail: aborted, advice };
}

function reasonToSkip(
  { needs }: Check,
  { signal, noGateway, noKey }: DiagnosisContext,
): string | undefined {
  if (signal?.aborted) return aborted;
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
