import { PolygateError } from 'polygate';

import { requestOf } from '../../../internal.ts';
import { formatUsd } from '../../money.ts';
import type { DiagnoseOptions } from '../diagnosis.ts';
import type { DiagnosisContext } from './context.ts';
import { describeFailure, noResponseAdvice } from './failure.ts';
import type { Findings, CheckSubject, Finding, ReportReceiver, Skip } from './findings.ts';
import { Report } from './findings.ts';

/** One step of a diagnosis. `Output` is what it finds out for later checks; `diagnose` passes it to them. */
export interface Check<Output = void> extends CheckSubject {
  /** `keep` stores the output, even if the check fails afterwards. */
  run(
    context: DiagnosisContext,
    report: Report,
    keep: (output: Output) => void,
  ): Promise<void> | void;
}

/**
 * Runs a check, unless there is a reason to skip it, and returns its output. An error that ends it is a finding. Adds a
 * finding for each assumption that it leaves open.
 */
export async function runCheck<Output>(
  check: Check<Output>,
  context: DiagnosisContext,
  findings: Findings,
  onStart: DiagnoseOptions['onStart'],
): Promise<Output | undefined> {
  const run = new CheckRun(check, context, findings);
  let output: Output | undefined;
  const skip = reasonToSkip(check, context);
  if (skip === undefined) {
    onStart?.({ id: check.id, title: check.title });
    try {
      await check.run(context, new Report(run), (kept) => (output = kept));
    } catch (error) {
      run.endsBecause(describeError(context, error, run.unconfirmedUsd));
    }
  } else {
    run.endsBecause({ status: 'skipped', ...skip });
  }
  findings.addOpenAssumptions(check, run.reason);
  // The check may have caught it.
  findings.throwCallbackError();
  return output;
}

function reasonToSkip(
  { requires }: CheckSubject,
  { signal, unmet }: DiagnosisContext,
): Skip | undefined {
  if (signal?.aborted) return { detail: `${earlyEnd(signal)} before this check started.` };
  const detail = (requires && unmet.gateway) ?? (requires === 'key' ? unmet.key : undefined);
  return detail === undefined ? undefined : { detail };
}

/** One run of a check. Receives its findings, and what follows from them for the rest of the diagnosis. */
class CheckRun implements ReportReceiver {
  /** Why the check has not started, or has ended early. */
  reason: Skip | undefined;
  readonly #check: CheckSubject;
  readonly #context: DiagnosisContext;
  readonly #findings: Findings;
  /** The part of `spending.unconfirmedUsd` that findings have already advised to check. */
  #advisedUsd: number;

  constructor(check: CheckSubject, context: DiagnosisContext, findings: Findings) {
    this.#check = check;
    this.#context = context;
    this.#findings = findings;
    this.#advisedUsd = context.spending.unconfirmedUsd;
  }

  /** What requests of the check may have cost, unless a finding has advised to check it. */
  get unconfirmedUsd(): number {
    return this.#context.spending.unconfirmedUsd - this.#advisedUsd;
  }

  add(finding: Finding): void {
    const { isAdopted, option } = finding;
    if (isAdopted && option) this.#context.adopt(option);
    this.#findings.add(this.#check, this.#adviseOnCharges(finding));
  }

  endsBecause(finding: Finding): void {
    const { detail, skipReason } = finding;
    this.reason = { detail, skipReason };
    this.#findings.addEarlyEnd(this.#check, this.#adviseOnCharges(finding));
  }

  /** After a request that may have been charged, the first finding that is not `ok` says to check the charges. */
  #adviseOnCharges(finding: Finding): Finding {
    if (finding.status === 'ok' || this.unconfirmedUsd === 0) return finding;
    this.#advisedUsd = this.#context.spending.unconfirmedUsd;
    const { advice } = finding;
    return { ...finding, advice: `${advice ? `${advice} ` : ''}${checkCharges}` };
  }
}

const checkCharges = 'Check the charges in your account.';

/** Why a run ended before all checks had, as the start of a sentence. */
function earlyEnd(signal: AbortSignal): string {
  return isTimeout(signal) ? 'The run timed out' : 'The run was aborted';
}

/** Describes the error, or the end of the run, that has ended a check. Its requests may have cost `unconfirmedUsd`. */
function describeError(
  { signal, unmet }: DiagnosisContext,
  error: unknown,
  unconfirmedUsd: number,
): ReturnType<typeof describeFailure> {
  if (!signal?.aborted) return describeFailure(error);
  const request = (PolygateError.is(error) && requestOf(error)) || 'its result';
  const detail = `${earlyEnd(signal)} while this check waited for ${request}.`;
  if (unconfirmedUsd > 0) {
    const advice = `Its requests may have been charged ${formatUsd(unconfirmedUsd)}.`;
    return { status: 'warning', detail, advice };
  }
  // Without a response, nothing shows that there is a gateway.
  return unmet.gateway !== undefined && isTimeout(signal)
    ? { status: 'failed', detail, advice: noResponseAdvice }
    : { status: 'skipped', detail };
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
