/** Examples of the API reference for `polygate/doctor`. */
import { Polygate } from 'polygate';
import { diagnose, optionsOf } from 'polygate/doctor';

declare const gateway: Polygate;

// For optionsOf, Diagnosis
export async function applyAdvice() {
  const diagnosis = await diagnose({ gateway });
  console.log(diagnosis.ok, diagnosis.spentUsd);
  return new Polygate({ timeout: 20_000, ...optionsOf(diagnosis) });
}

// For DiagnoseOptions, DiagnosisCheck, CheckStatus, SkipReason
export async function showFindings() {
  const { checks } = await diagnose({
    gateway,
    maxSpendUsd: 0.5,
    onStart: ({ title }) => console.log(title),
  });
  for (const { status, detail, skipReason } of checks) console.log(status, detail, skipReason);
}
