import type { Outcome } from '../../errors/base.ts';
import type { ConcurrencyLimitError } from '../../errors/responses.ts';
import { combineOutcomes, verdictOf } from '../../paid/verdict.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { sentKeys } from '../http/request-headers.ts';
import type { ApiRequest } from './api-request.ts';
import type { Retry } from './retry.ts';

/** The result of the attempts that have ended. */
export interface EarlierAttempts {
  /** Number of retries, without those after a rejection for lack of a slot. */
  readonly retries: number;
  /** Number of retries after a rejection for lack of a slot. */
  readonly slotRejections: number;
  /** The error of the last of these rejections. */
  readonly slotRejection?: ConcurrencyLimitError | undefined;
  /** The combined outcome of all of them. */
  readonly outcome: Outcome;
  /** Metadata of the last response that named the task. */
  readonly taskMeta?: ResponseMeta | undefined;
}

/** Shared by all calls, most of which never need another one. */
const none: EarlierAttempts = { retries: 0, slotRejections: 0, outcome: 'not-sent' };

/**
 * A request, and what has happened to it so far: all that its errors are made from. The facts of an attempt are recorded in the
 * order of the fields, and any may be missing: a call that needs no slot is never queued, and an interrupted attempt ends
 * early.
 */
export class CallHistory {
  readonly request: ApiRequest;
  /** Whether the attempt is waiting for a concurrency slot. */
  isQueued = false;
  /** Whether the attempt was handed to `fetch`. */
  isSent = false;
  /** How many charges all attempts have reported, without replays of those that count already, and their sum in USD. */
  charges = 0;
  chargedUsd = 0;
  /** Parses the metadata of the response, once it has arrived. Most calls never need it. */
  readMeta: (() => ResponseMeta) | undefined;
  /** Returns what the stream in the response has accumulated so far. */
  readPartial: (() => ChatCompletion | undefined) | undefined;
  #earlier = none;
  #headers: Readonly<Record<string, string>> = {};
  #earlierKeys: readonly string[] = [];

  constructor(request: ApiRequest) {
    this.request = request;
  }

  get idempotencyKey(): string | undefined {
    return this.request.options?.idempotencyKey;
  }

  /** The attempts before the current one. */
  get earlier(): EarlierAttempts {
    return this.#earlier;
  }

  /** Number of attempts that have ended. */
  get attempts(): number {
    return this.#earlier.retries + this.#earlier.slotRejections;
  }

  /** Metadata of the response, once it has arrived. */
  get meta(): ResponseMeta | undefined {
    return this.readMeta?.();
  }

  /** What the headers of the response say about money, once it has arrived. */
  get verdict() {
    const { meta } = this;
    return meta && verdictOf(meta);
  }

  /** The outcome of an attempt that is interrupted now. */
  get interruptedOutcome(): Outcome {
    return this.isSent ? 'unknown' : 'not-sent';
  }

  /** Remembers the headers of an attempt. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.attempts > 0) this.#earlierKeys = [...new Set(this.keys)];
    this.#headers = headers;
  }

  /**
   * The API keys that the attempts have sent, which can differ. They must not be in anything that is shown, and a service
   * can repeat that of an earlier attempt. Most responses are read without them.
   */
  get keys(): readonly string[] {
    return [...this.#earlierKeys, ...sentKeys((name) => this.#headers[name])];
  }

  /**
   * Metadata of the last response that named the task, now that an attempt has failed with this outcome. A rejection can name
   * the task of another body with the same key, and so can any 4xx, whose body may be unread.
   */
  taskMeta(outcome: Outcome): ResponseMeta | undefined {
    const { meta, earlier } = this;
    const mayBeOther = outcome !== 'unknown' || String(meta?.status).startsWith('4');
    return meta?.taskId && !mayBeOther ? meta : earlier.taskMeta;
  }

  /** The attempt has failed, and another one follows. */
  endAttempt({ failure, slotRejection }: Retry): void {
    const { earlier } = this;
    this.#earlier = {
      retries: earlier.retries + (slotRejection ? 0 : 1),
      slotRejections: earlier.slotRejections + (slotRejection ? 1 : 0),
      slotRejection: slotRejection ?? earlier.slotRejection,
      outcome: combineOutcomes(earlier.outcome, failure.outcome),
      taskMeta: this.taskMeta(failure.outcome),
    };
    this.readMeta = undefined;
    this.isSent = false;
  }
}
