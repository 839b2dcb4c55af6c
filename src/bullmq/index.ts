export type { RowInput } from './add-rows.ts';
export type { PauseReason } from './move.ts';
export type {
  GenerationQueueOptions,
  ResultsOptions,
  RetryOptions,
  WorkOptions,
} from './options.ts';
export { GenerationQueue } from './queue.ts';
export type { RowCounts } from './queue.ts';
export type { EndedRow, EndStatus, Row, RowError, RowStatus } from './row.ts';
export type { QueueWorker } from './worker.ts';
export type { RowKind } from '../internal/row-driver.ts';
