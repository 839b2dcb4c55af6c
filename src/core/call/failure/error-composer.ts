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

/** What the message of an error says instead of, or in addition to, what it says about any such call. */
export interface Addition extends Partial<MessageParts> {
  /** Id of a task in the body, so that a paid task is not lost. */
  readonly taskId?: string | undefined;
}

/**
 * Composes the errors of one call from its description and its history: what every error says about charges, its task and its
 * key, and what none may contain.
 */
export class ErrorComposer {
  readonly idempotencyKey: string | undefined;
  protected readonly call: ApiCall;
  protected readonly history: CallHistory;
  #authorization: string | undefined;
  #readPartial: (() => ChatCompletion | undefined) | undefined;

  constructor(call: ApiCall, history: CallHistory, idempotencyKey?: string) {
    this.call = call;
    this.history = history;
    this.idempotencyKey = idempotencyKey;
  }

  /** Removes the credentials that are sent from every message, in case the service repeats them. */
  hideCredentials(authorization: string | undefined): void {
    this.#authorization = authorization;
  }

  /** Adds what a stream has accumulated so far to every error. */
  includePartial(read: () => ChatCompletion | undefined): void {
    this.#readPartial = read;
  }

  protected get partial(): ChatCompletion | undefined {
    return this.#readPartial?.();
  }

  /**
   * Creates an error: what happened, whether money may have been spent, and what to do next. An unknown outcome is reported
   * only if the call has an effect: otherwise, it would worry callers for no reason.
   */
  protected create<Created, Details extends object>(
    Class: new (message: string, details: Details & ErrorDetails) => Created,
    summary: string,
    attemptOutcome: Outcome,
    details: Details,
    { taskId, ...addition }: Addition = {},
  ): Created {
    const { task: known, findTask } = this.call;
    const { meta, earlier } = this.history;
    const outcome = this.outcomeAfter(attemptOutcome);
    const isReported = this.#hasEffect || outcome !== 'unknown';
    const taskMeta = meta?.taskId ? meta : (earlier.taskMeta ?? meta);
    // The id in the headers comes first: the body may be damaged.
    const id = taskMeta?.taskId ?? taskId;
    const task = known ?? (id && taskMeta ? findTask?.(id, taskMeta, this.call) : undefined);
    const idempotencyKey = this.idempotencyKey ?? task?.idempotencyKey;
    const parts = {
      summary: this.redact(sentence(summary)),
      ...messageParts(this.call, outcome, meta, task),
      ...addition,
    };
    return createError(Class, parts, {
      meta,
      outcome: isReported ? outcome : undefined,
      idempotencyKey,
      task,
      partial: this.partial,
      ...details,
    });
  }

  /** The message of a `fetch` error, without the error itself, which may contain the request and its headers. */
  protected safeCause(error: unknown): Error {
    const cause = new Error(this.redact(networkErrorMessage(error)));
    cause.name = 'NetworkError';
    // Without frames, which would only show the inside of the client.
    cause.stack = String(cause);
    return cause;
  }

  /**
   * Removes the API key from a text. Keys under 8 characters are placeholders, and replacing them would garble words.
   */
  protected redact(text: string): string {
    const apiKey = this.#authorization?.replace(/^Bearer /, '') ?? '';
    return apiKey.length < 8 ? text : text.replaceAll(apiKey, '(the API key)');
  }

  /** Whether it matters that a request was carried out: it is paid, or it has a key because it creates something. */
  get #hasEffect(): boolean {
    return this.call.paid === true || this.call.safety === 'keyed';
  }

  /** The outcome of the call after an attempt. Earlier attempts only matter to a call that has an effect. */
  protected outcomeAfter(attemptOutcome: Outcome): Outcome {
    return this.#hasEffect
      ? combineOutcomes(this.history.earlier.outcome, attemptOutcome)
      : attemptOutcome;
  }
}
