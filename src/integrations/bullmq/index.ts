/**
 * The life of a row:
 *
 *     waiting <-> submitting -> running -> succeeded, failed or unknown
 *
 * - waiting: its job has the params and the idempotency key. A worker takes the job, and the script `admit` takes a
 *   slot, reserves the price, and gives this worker the turn to submit.
 * - submitting: the request is sent. Then the script `move` frees the slot, and records the task and what it has cost.
 *   After a failure that another submission under the same key may overcome, the row is waiting again.
 * - running: the task is polled, each time by any worker. Between two polls, the job is delayed and occupies none.
 * - ended: the script `move` has announced the end. `retry` makes a failed or unknown row waiting or running again.
 *
 * `worker/worker.ts` takes a row from step to step, `worker/steps.ts` sends the requests, `decisions` decides what
 * follows from a response and what it has cost, and `redis/scripts` makes each change atomic. A killed worker
 * leaves a row in any of these states, and another worker continues from there.
 *
 * A chat has no key under which it could be sent again, so it never returns from submitting to waiting if it may have
 * been charged: a worker that finds it submitting records that it is unknown. If the worker that has sent it is still
 * alive, it still records the completion, unless the row was retried.
 */
export type { RowInput } from './add-rows.ts';
export type { PauseReason } from './decisions/step.ts';
export type {
  GenerationQueueOptions,
  ResultsOptions,
  RetryOptions,
  WorkOptions,
} from './options.ts';
export { GenerationQueue } from './queue.ts';
export type { RowCounts } from './queue.ts';
export type { EndedRow, EndStatus, Row, RowError, RowStatus } from './row.ts';
export type { QueueWorker } from './worker/worker.ts';
export type { RowKind } from './row-driver.ts';
