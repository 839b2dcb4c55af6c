import type { ErrorDetails, Outcome } from '../../../errors/base.ts';
import { createError } from '../../../errors/create-error.ts';
import type { MessageParts } from '../../../errors/message.ts';
import type { ChatCompletion } from '../../../types/chat/completion.ts';
import { sentence } from '../../http/json.ts';
import { networkErrorMessage } from '../../http/network-error.ts';
import type { ApiCall } from '../api-call.ts';
import type { CallHistory } from '../attempt/history.ts';
import { messageParts } from './error-message.ts';
import { combineOutcomes } from './outcome.ts';

// What every error of a call contains, whatever has failed: what it says about charges, its task and its key, and what
// it must not repeat.

/** What the errors of one call are composed from. */
export interface ErrorSource {
  readonly call: ApiCall;
  readonly history: CallHistory;
  readonly idempotencyKey?: string | undefined;
  /** The `authorization` header that was sent. */
  authorization?: string | undefined;
  /** Returns what a stream has accumulated so far. */
  readPartial?: () => ChatCompletion | undefined;
}

/** What the message of an error says instead of, or in addition to, what it says about any such call. */
export interface Addition extends Partial<MessageParts> {
  /** Id of a task in the body, so that a paid task is not lost. */
  readonly taskId?: string | undefined;
}

/**
 * Creates an error: what happened, whether money may have been spent, and what to do next. An unknown outcome is
 * reported only if the call has an effect: otherwise, it would worry callers for no reason.
 */
export function composeError<Created, Details extends object>(
  source: ErrorSource,
  Class: new (message: string, details: Details & ErrorDetails) => Created,
  summary: string,
  attemptOutcome: Outcome,
  details: Details,
  { taskId, ...addition }: Addition = {},
): Created {
  const { call, history } = source;
  const { meta, earlier } = history;
  const outcome = outcomeAfter(source, attemptOutcome);
  const isReported = hasEffect(call) || outcome !== 'unknown';
  const taskMeta = meta?.taskId ? meta : (earlier.taskMeta ?? meta);
  // The id in the headers comes first: the body may be damaged.
  const id = taskMeta?.taskId ?? taskId;
  const task = call.task ?? (id && taskMeta ? call.findTask?.(id, taskMeta, call) : undefined);
  const parts = {
    summary: redact(source, sentence(summary)),
    ...messageParts(call, outcome, meta, task),
    ...addition,
  };
  return createError(Class, parts, {
    meta,
    outcome: isReported ? outcome : undefined,
    idempotencyKey: source.idempotencyKey ?? task?.idempotencyKey,
    task,
    partial: source.readPartial?.(),
    ...details,
  });
}

/** The message of a `fetch` error, without the error itself, which may contain the request and its headers. */
export function safeCause(source: ErrorSource, error: unknown): Error {
  const cause = new Error(redact(source, networkErrorMessage(error)));
  cause.name = 'NetworkError';
  // Without frames, which would only show the inside of the client.
  cause.stack = String(cause);
  return cause;
}

/**
 * Removes the API key from a text, in case the service repeats it. Keys under 8 characters are placeholders, and
 * replacing them would garble words.
 */
export function redact({ authorization = '' }: ErrorSource, text: string): string {
  const apiKey = authorization.replace(/^Bearer /, '');
  return apiKey.length < 8 ? text : text.replaceAll(apiKey, '(the API key)');
}

/** The outcome of the call after an attempt. Earlier attempts only matter to a call that has an effect. */
export function outcomeAfter({ call, history }: ErrorSource, attemptOutcome: Outcome): Outcome {
  return hasEffect(call)
    ? combineOutcomes(history.earlier.outcome, attemptOutcome)
    : attemptOutcome;
}

/** Whether it matters that a request was carried out: it is paid, or it has a key because it creates something. */
function hasEffect({ paid, safety }: ApiCall): boolean {
  return paid === true || safety === 'keyed';
}
