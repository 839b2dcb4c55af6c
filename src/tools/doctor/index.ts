export { diagnose } from './diagnose.ts';
export { optionsOf } from './diagnosis.ts';
export type {
  CheckStatus,
  DiagnoseOptions,
  Diagnosis,
  DiagnosisCheck,
  SkipReason,
} from './diagnosis.ts';
