export { diagnose } from './diagnose.ts';
export { optionsOf } from './options.ts';
export type { CheckStatus, DiagnoseOptions, Diagnosis, DiagnosisCheck } from './diagnosis.ts';
