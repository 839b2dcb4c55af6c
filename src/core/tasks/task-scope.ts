import type { ResponseMeta } from '../../types/meta.ts';
import type { Generation, TaskKind } from '../../types/tasks/task.ts';
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

/**
 * What is known about a task when its handle is created. The headers are those of the submission, which its polls carry
 * too.
 */
export interface TaskDetails extends Partial<PollHeaders> {
  id: string;
  /** Id of the model. */
  model?: string | undefined;
  /** Whether the receipt names the model, because the submission could choose between several. */
  namesModel?: boolean | undefined;
  idempotencyKey?: string | undefined;
  chargeUsd?: number | undefined;
  submittedAt?: string | undefined;
  /** Metadata of the submission's response. */
  meta?: ResponseMeta | undefined;
  /** The poll path that the submission's response named. */
  pollPath?: string | undefined;
}
