import type { ErrorDetails, Outcome, MessageParts, Wording } from '../../errors/base.ts';
import { AbortedError } from '../../errors/call.ts';
import { createError, usdText } from '../../errors/message.ts';
import { combineOutcomes } from '../../paid/verdict.ts';
import { redactKeys } from '../../wire/types/redact-key.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import { networkErrorMessage } from '../http/failure.ts';
import { sentence } from '../http/json.ts';
import { redactedKey } from '../http/response-meta.ts';
import { routeOf } from './api-request.ts';
import type { CallHistory } from './history.ts';

// What every error of a call contains, whatever has failed: what it says about charges, its task and its key, and what
// it must not repeat.

/** What the message of an error says instead of, or in addition to, what it says about any such call. */
export interface Addition extends Partial<Omit<MessageParts, 'summary'>> {
  readonly summary?: string;
  /** Id of a task in the body, so that a paid task is not lost. */
  readonly taskId?: string | undefined;
}

/**
 * Creates an error: what happened, whether money may have been spent, and what to do next. An unknown outcome is
 * reported only if the call has an effect, or if the caller has aborted it: otherwise, it would worry callers for no
 * reason.
 */
export function composeError<Created, Details extends object>(
  history: CallHistory,
  Class: new (message: string, details: Details & ErrorDetails) => Created,
  { taskId, ...message }: Omit<Addition, 'summary'> & Pick<MessageParts, 'summary'>,
  details: Details & { readonly outcome: Outcome },
): Created {
  const { request, meta, verdict, earlier } = history;
  // It matters that a request was carried out if it is paid, or if it has a key because it creates something.
  const hasEffect = request.paid === true || request.safety === 'keyed';
  // Otherwise, earlier attempts do not matter.
  const outcome = hasEffect ? combineOutcomes(earlier.outcome, details.outcome) : details.outcome;
  const isReported = hasEffect || outcome !== 'unknown' || Object.is(Class, AbortedError);
  const taskMeta = history.taskMeta(details.outcome);
  // The id in the headers comes first: the body may be damaged.
  const id = taskMeta?.taskId ?? taskId;
  const named = taskMeta ?? meta;
  const task = request.task ?? (id && named ? request.findTask?.(id, named, request) : undefined);
  const { summary } = message;
  const parts = {
    ...messageParts(history, outcome, task),
    ...message,
    // One that is written later repeats nothing of the service.
    summary: typeof summary === 'string' ? redact(history, sentence(summary)) : summary,
  };
  return createError(Class, parts, {
    meta,
    idempotencyKey: history.idempotencyKey ?? task?.idempotencyKey,
    task,
    partial: history.readPartial?.(),
    verdict,
    ...details,
    outcome: isReported ? outcome : undefined,
  });
}

/** The message of a `fetch` error, without the error itself, which may contain the request and its headers. */
export function safeCause(history: CallHistory, error: unknown): Error {
  const cause = new Error(redact(history, networkErrorMessage(error)));
  cause.name = 'NetworkError';
  // Without frames, which would only show the inside of the client.
  cause.stack = String(cause);
  return cause;
}

/** Removes the API key from a text, in case the service repeats it. */
export function redact({ keys }: CallHistory, text: string): string {
  return redactKeys(text, keys, redactedKey);
}

/** What a message says about a call that was certainly not charged. */
export const nothingCharged = 'Nothing was charged.';

/** How a program continues with the task of an error. */
export const continueTaskAdvice = (id: string): string =>
  `Task ${id} is not lost: continue with error.task.wait().`;

/** What the message of an error says after the summary: whether money may have been spent, and what to do next. */
function messageParts(
  { request: call, meta, charges, chargedUsd }: CallHistory,
  outcome: Outcome,
  task: TaskHandle | undefined,
): Partial<MessageParts> {
  const { status = 500, requestId } = meta ?? {};
  const request = `${routeOf(call)}${requestId ? `, request ${requestId}` : ''}`;
  if (task) {
    return {
      request,
      programAdvice: outcome === 'rejected' ? undefined : continueTaskAdvice(task.id),
    };
  }
  if (!call.paid) return { request };
  if (outcome !== 'unknown') return { request, charge: nothingCharged };
  // A service that has charged a key twice does not protect from a third charge.
  const isProtected = call.safety === 'keyed' && charges < 2;
  const charge = (wording?: Wording) =>
    // The only charge of a successful response is provisional: it may be that of a stream.
    (charges > (status < 300 ? 1 : 0)
      ? `The service reported ${charges > 1 ? 'charges' : 'a charge'} of ${usdText(chargedUsd, wording)}`
      : 'The request may have been charged') +
    (isProtected ? '.' : '; sending it again may charge you again.');
  const retry = 'Retry with error.idempotencyKey to avoid a second charge.';
  return { request, charge, programAdvice: isProtected ? retry : undefined };
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
  return `No concurrency slot became free within ${limit}. Send fewer requests at a time, use a batch, or increase ${option}`;
}
