import type { DiagnoseOptions } from '../diagnosis.ts';
import type { Check, CheckSubject } from './check.ts';
import type { DiagnosisContext } from './context.ts';
import { describeEarlyEnd, earlyEnd } from './early-end.ts';
import { describeFailure } from './failure.ts';
import type { Findings } from './findings.ts';
import { Report } from './report.ts';
import type { Finding, ReportReceiver, Skip } from './report.ts';

/**
 * Runs a check, unless there is a reason to skip it, and returns its output. Adds a finding for each assumption that it
 * leaves open.
 */
export async function runCheck<Output>(
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
    run.endsBecause({ status: 'skipped', ...skip });
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

/** One run of a check: it receives the findings, and keeps what is known when the check ends, whether it fails or not. */
class CheckRun<Output> implements ReportReceiver {
  /** What the check has found out for later ones. */
  output: Output | undefined;
  readonly #check: Check<Output>;
  readonly #context: DiagnosisContext;
  readonly #findings: Findings;
  /** Why the check has ended without findings about all of its assumptions. */
  #reason: Skip | undefined;
  /** What requests before the latest finding may have cost. An error is about those after it. */
  #unconfirmedBefore: number;

  constructor(check: Check<Output>, context: DiagnosisContext, findings: Findings) {
    this.#check = check;
    this.#context = context;
    this.#findings = findings;
    this.#unconfirmedBefore = context.spending.unconfirmedUsd;
  }

  /** Executes the check. An error that ends it is a finding, and the reason why assumptions are open. */
  async execute(): Promise<void> {
    try {
      await this.#check.run(this.#context, new Report(this), (kept) => (this.output = kept));
    } catch (error) {
      this.endsBecause(this.#describeError(error));
    }
  }

  add(finding: Finding): void {
    const { assumption, status } = finding;
    this.#unconfirmedBefore = this.#context.spending.unconfirmedUsd;
    // An earlier check has reported the assumption, so only a contradiction is worth reporting.
    const isKnown =
      this.#findings.hasReported(assumption) && (status === 'ok' || status === 'skipped');
    if (!isKnown) this.#findings.add(this.#check, finding);
  }

  endsBecause(finding: Finding): void {
    const { detail, skipReason } = finding;
    this.#reason = { detail, skipReason };
    this.#findings.addEnd(this.#check, finding);
  }

  /** Adds a finding for each assumption that has none. */
  addOpenAssumptions(): void {
    for (const { id, ifOpen } of this.#findings.openAssumptions(this.#check)) {
      const skip = this.#reason ?? { detail: ifOpen };
      this.#findings.add(this.#check, { assumption: id, status: 'skipped', ...skip });
    }
  }

  /** Describes the error that has ended the check. */
  #describeError(error: unknown): Finding {
    const { signal, spending } = this.#context;
    const unconfirmedUsd = spending.unconfirmedUsd - this.#unconfirmedBefore;
    if (signal?.aborted) return describeEarlyEnd(this.#context, signal, error, unconfirmedUsd);
    const finding: Finding = describeFailure(error);
    if (unconfirmedUsd > 0) finding.advice ??= 'Check the charges in your account.';
    return finding;
  }
}
