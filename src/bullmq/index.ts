export { GenerationQueue } from './queue.ts';
export type { GenerationQueueOptions, RowCounts, WorkOptions } from './queue.ts';
export type { EndedRow, EndStatus, Row, RowError, RowStatus } from './row.ts';
export type { PauseReason } from './store.ts';
export type { QueueWorker } from './worker.ts';
