import type { Safety } from '../../../endpoints/safety.ts';
import type { Outcome } from '../../../errors/base.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import type { TaskHandle } from '../../../types/tasks/task-handle.ts';
import { routeOf } from '../api-call.ts';
import type { ApiCall } from '../api-call.ts';

/**
 * What a message says about a call that was certainly not charged. `withEarlierCharge` of a batch searches for it, and replaces it
 * where it is not true of the whole row.
 */
export const nothingCharged = 'Nothing was charged.';

/** What to do about a response that the client cannot read. */
export const doctorAdvice = 'To check the service, run npx polygate doctor.';

/** How a program continues with the task of an error. */
export const continueTaskAdvice = (id: string): string =>
  `Task ${id} is not lost: continue with error.task.wait().`;

/** How a program sends a keyed request again. */
export const sameKeyAdvice = 'retry with error.idempotencyKey to avoid a second charge';

/** What the message of an error depends on. */
interface Situation {
  /** Whether the service may have carried out the call. */
  readonly outcome: Outcome;
  readonly meta: ResponseMeta | undefined;
  readonly task: TaskHandle | undefined;
  /** What to do about the task, if waiting for it does not help. */
  readonly taskAdvice: string | undefined;
}

/** The message of an error: what happened, whether money may have been spent, and what to do next. */
export function errorMessage(
  summary: string,
  call: ApiCall,
  { outcome, meta, task, taskAdvice }: Situation,
): string {
  const parts = [
    summary,
    task && outcome !== 'rejected' && (taskAdvice ?? continueTaskAdvice(task.id)),
    meta?.status === 401 && 'Check the API key.',
    !task && call.paid && chargeAdvice(outcome, call.safety, meta),
    `[${routeOf(call)}${meta?.requestId ? `, request ${meta.requestId}` : ''}]`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Whether money may have been spent, and how to send the request again. */
function chargeAdvice(outcome: Outcome, safety: Safety, meta?: ResponseMeta): string {
  if (outcome !== 'unknown') return nothingCharged;
  const next = safety === 'keyed' ? sameKeyAdvice : 'sending it again may charge you again';
  const { status = 200, chargeUsd = 0 } = meta ?? {};
  const charged =
    status >= 400 && chargeUsd > 0
      ? `The service reported a charge of ${chargeUsd} USD`
      : 'The request may have been charged';
  return `${charged}; ${next}.`;
}

/** What a call was doing when the time limit of an option was exceeded: waiting for a slot, not sent otherwise, or sent. */
export function timeoutSummary(
  stage: 'queued' | 'unsent' | 'sent',
  ms: number,
  option: string,
): string {
  const limit = `${ms} ms (${option})`;
  if (stage === 'sent') return `No complete response within ${limit}`;
  if (stage === 'unsent') return `The request was not sent within ${limit}`;
  return `The request was still waiting for a concurrency slot after ${limit}. Send fewer requests at a time, or increase ${option}`;
}
