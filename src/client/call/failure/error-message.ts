import type { Outcome, MessageParts } from '../../../errors/base.ts';
import type { ResponseMeta } from '../../../wire/types/meta.ts';
import type { TaskHandle } from '../../../wire/types/tasks/task-handle.ts';
import { routeOf } from '../api-call.ts';
import type { ApiCall } from '../api-call.ts';

/** What a message says about a call that was certainly not charged. */
export const nothingCharged = 'Nothing was charged.';

/** How a program continues with the task of an error. */
export const continueTaskAdvice = (id: string): string =>
  `Task ${id} is not lost: continue with error.task.wait().`;

/** What the message of an error says after the summary: whether money may have been spent, and what to do next. */
export function messageParts(
  call: ApiCall,
  outcome: Outcome,
  meta: ResponseMeta | undefined,
  task: TaskHandle | undefined,
): Partial<MessageParts> {
  const { status = 200, chargeUsd = 0, requestId } = meta ?? {};
  const request = `${routeOf(call)}${requestId ? `, request ${requestId}` : ''}`;
  if (task) {
    return {
      request,
      programAdvice: outcome === 'rejected' ? undefined : continueTaskAdvice(task.id),
    };
  }
  if (!call.paid) return { request };
  if (outcome !== 'unknown') return { request, charge: nothingCharged };
  const charge =
    status >= 300 && chargeUsd > 0
      ? `The service reported a charge of ${chargeUsd} USD`
      : 'The request may have been charged';
  return call.safety === 'keyed'
    ? {
        request,
        charge: `${charge}.`,
        programAdvice: 'Retry with error.idempotencyKey to avoid a second charge.',
      }
    : { request, charge: `${charge}; sending it again may charge you again.` };
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
