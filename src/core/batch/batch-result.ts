import type { SucceededGeneration, TaskKind } from '../../types/tasks/task.ts';
import type { Task } from '../tasks/task.ts';

/** The result of a row. */
export type BatchResult<Kind extends TaskKind = TaskKind> = {
  /** Id of the row; empty for a damaged line of the journal. */
  readonly id: string;
  /** Idempotency key of the row's submit. */
  readonly idempotencyKey?: string | undefined;
  /** Task of the row, once its submission was accepted. */
  readonly task?: Task<Kind> | undefined;
} & (
  | {
      readonly status: 'succeeded';
      /** The finished generation. */
      readonly generation: SucceededGeneration<Kind>;
      readonly error?: undefined;
    }
  | {
      /**
       * `failed`: the task failed, or nothing was charged. In the latter case, the next run submits the row again. A row
       * that only a 402 kept from being submitted is not yielded.
       * `unknown`: the task is still processing, or it is not known whether there is one. To resolve it, run the same
       * batch with the same journal again: it resends the request with the same key, so that the row is not paid for twice.
       */
      readonly status: 'failed' | 'unknown';
      readonly generation?: undefined;
      /** Why the row has no generation. */
      readonly error: Error;
    }
);
