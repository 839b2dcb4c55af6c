import type { ErrorDetails, Outcome, MessageParts } from '../../../errors/base.ts';
import { AbortedError } from '../../../errors/call.ts';
import { createError } from '../../../errors/message.ts';
import { redactKeys } from '../../../wire/types/redact-key.ts';
import { sentence } from '../../http/json.ts';
import { networkErrorMessage } from '../../http/network-error.ts';
import { redactedKey } from '../../http/response-meta.ts';
import type { CallHistory } from '../attempt/history.ts';
import { messageParts } from './error-message.ts';
import { combineOutcomes } from './outcome.ts';

// What every error of a call contains, whatever has failed: what it says about charges, its task and its key, and what
// it must not repeat.

/** What the message of an error says instead of, or in addition to, what it says about any such call. */
export interface Addition extends Partial<MessageParts> {
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
  { taskId, ...message }: Addition & Pick<MessageParts, 'summary'>,
  details: Details & { readonly outcome: Outcome },
): Created {
  const { call, meta, earlier } = history;
  // It matters that a request was carried out if it is paid, or if it has a key because it creates something.
  const hasEffect = call.paid === true || call.safety === 'keyed';
  // Otherwise, earlier attempts do not matter.
  const outcome = hasEffect ? combineOutcomes(earlier.outcome, details.outcome) : details.outcome;
  const isReported = hasEffect || outcome !== 'unknown' || Object.is(Class, AbortedError);
  const taskMeta = meta?.taskId ? meta : (earlier.taskMeta ?? meta);
  // The id in the headers comes first: the body may be damaged.
  const id = taskMeta?.taskId ?? taskId;
  const task = call.task ?? (id && taskMeta ? call.findTask?.(id, taskMeta, call) : undefined);
  const parts = {
    ...messageParts(call, outcome, meta, task),
    ...message,
    summary: redact(history, sentence(message.summary)),
  };
  return createError(Class, parts, {
    meta,
    idempotencyKey: history.idempotencyKey ?? task?.idempotencyKey,
    task,
    partial: history.readPartial?.(),
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
