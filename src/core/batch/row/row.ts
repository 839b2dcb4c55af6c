import type { TaskHandle } from '../../../types/tasks/task-handle.ts';
import type { TaskKind } from '../../../types/tasks/task.ts';
import type { Task } from '../../tasks/task.ts';
import type { RowHistory } from '../journal/row-history.ts';
import type { RowCost } from '../run/batch-budget.ts';

/** The state that a row of a batch has reached. */
export interface RowState {
  readonly id: string;
  /** What earlier processes recorded about it. */
  readonly history: RowHistory;
  /** What it has cost in all runs. */
  readonly cost: RowCost;
  /** The part of the estimates that belongs to the submission in progress. */
  readonly reservedUsd?: number | undefined;
  /** Key of the row's submit, once it has one. */
  readonly idempotencyKey: string | undefined;
  /** Whether this process has recorded the submission. */
  readonly isJournaled?: boolean;
  /** Whether this process has sent a submission that the service may have accepted. */
  readonly isSent?: boolean;
  /** The task of the row, once its submission was accepted. */
  readonly task?: TaskHandle | undefined;
  /** Whether the journal has the task or the completion, so that the end of the row can be recorded. */
  readonly isDurable?: boolean;
}

/** A row of a batch. */
export interface BatchItem<Kind extends TaskKind = TaskKind> extends Mutable<RowState> {
  task?: Task<Kind> | undefined;
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
