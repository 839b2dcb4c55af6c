import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { Generation, TaskKind } from '../../wire/types/tasks/task.ts';
import type { ClientContext } from '../call/context.ts';
import type { PollHeaders } from '../call/request-options.ts';
import type { ResponseHandler } from '../call/response.ts';
import type { Rules } from '../config/validation.ts';

/** The tasks of one namespace: how they are polled, and with which client. */
export interface TaskScope<Kind extends TaskKind> {
  readonly context: ClientContext;
  readonly kind: Kind;
  /** Templates of the poll path, in the order in which they are tried. Assumptions A1 and A2. */
  readonly pollTemplates: readonly [string, ...string[]];
  /** Reads a task record. */
  readonly read: ResponseHandler<Generation<Kind>>;
  /** The rules of options that only this namespace accepts. */
  readonly optionRules: Rules;
}

/** What is known about a task when its handle is created. */
export interface TaskDetails {
  readonly id: string;
  /** Id of the model. */
  readonly model?: string | undefined;
  /** Whether the receipt names the model, because the submission could choose between several. */
  readonly namesModel?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly chargeUsd?: number | undefined;
  readonly submittedAt?: string | undefined;
  /** Metadata of the submission's response. */
  readonly meta?: ResponseMeta | undefined;
  /** The poll path that the submission's response named. */
  readonly pollPath?: string | undefined;
  /** Headers of the submission, which its polls carry, too. */
  readonly pollHeaders?: PollHeaders | undefined;
}

/** Whether the id of a task is known. If not, the task cannot be polled, and only its idempotency key can find it again. */
export const hasId = ({ id }: { readonly id?: string | undefined }): boolean => Boolean(id);
