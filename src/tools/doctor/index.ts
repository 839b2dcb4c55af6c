export { diagnose } from './diagnose.ts';
export { optionsOf } from './options-of.ts';
export type {
  CheckStatus,
  DiagnoseOptions,
  Diagnosis,
  DiagnosisCheck,
  SkipReason,
} from './diagnosis.ts';
