/**
 * The states of a row in one run:
 *
 *     planned -> recorded -> sent -> accepted -> durable
 *                recorded <- sent, if the service has certainly not accepted it
 *     planned -> durable, if an earlier run has left its task or completion
 *
 * What the journal has of a row in each state, and what the next run does if the process dies in it:
 *
 * - planned: nothing of this run. It has sent nothing, so the row starts over.
 * - recorded: the `submit` line, written by this run or an earlier one. Whether the request was sent is unknown to the next
 *   run. It sends a task again under the same key: the service returns the task of that key if there is one, and charges only
 *   once. A chat has no such key, so its row is unknown from then on, and is sent again only with `resendUnknown`.
 *   A run that sends what an earlier one has recorded appends a line of its own: the earlier run may still be alive, and
 *   may take its line back.
 * - sent: the same. This run knows that the service may have accepted the request.
 * - accepted: the same. This run has the task or the completion.
 * - durable: the `accepted` line of a task, or the `completed` line of a chat. The next run waits for the task of the receipt,
 *   or yields the completion. A task whose line was lost is durable, too: the key of its `submit` line leads to it.
 *
 * Two more lines end a row:
 *
 * - `refused`, if its request was certainly not charged: the row starts over in the next run, even if its params have changed.
 *   If the line is `paused`, a 402 or a budget is the only reason, and `recover` submits a task if its params are stored.
 * - `finished`, if it is durable, when the caller has taken its result: `recover` skips the row, and a batch that is run again
 *   yields it again.
 *
 * If a step throws, the state that the row has reached decides whether its result is `failed` or `unknown`: see
 * `isFinalError` in charge-rules.ts.
 */
import type { Task } from '../tasks/task.ts';
import { KeyCharges } from './charge-rules.ts';
import type { ChargeFacts } from './charge-rules.ts';
import { noCost, mayBeCharged } from './row-history.ts';
import type { RowCost, RowHistory } from './row-history.ts';

/** The state that a row has reached in this run. */
export type RowState = 'planned' | 'recorded' | 'sent' | 'accepted' | 'durable';

/**
 * The states in which a row may take each step:
 *
 * - A request is recorded before it is sent, so no row is sent or accepted that is only planned.
 * - A hook can respond in place of the service, so a row can be accepted that was not sent.
 * - A failure of which the outcome is unknown leaves a row sent, and another attempt sends it again.
 */
const startsOf = {
  identify: ['planned'],
  resume: ['planned'],
  setKey: ['planned'],
  record: ['planned'],
  markSent: ['recorded', 'sent'],
  accept: ['recorded', 'sent'],
  makeDurable: ['accepted'],
} as const satisfies Record<string, readonly RowState[]>;

/**
 * A row of a batch or a recovery. Each step throws if the row is in a state that does not allow it. That is a mistake
 * in the client: nothing that a service, a journal or a caller does leads to it.
 */
export class Row {
  #id = '';
  #history: RowHistory = {};
  #state: RowState = 'planned';
  #idempotencyKey: string | undefined;
  #charges = new KeyCharges();
  #estimatedUsd = 0;
  #task: Task | undefined;
  #controller: AbortController | undefined;

  constructor(id: string, history: RowHistory = {}) {
    this.identify(id, history);
  }

  /** Its id, or its position while it has no valid id. */
  get id(): string {
    return this.#id;
  }

  /** What earlier runs recorded about it. */
  get history(): RowHistory {
    return this.#history;
  }

  /** How far this run has come with it. */
  get state(): RowState {
    return this.#state;
  }

  /** Key of its submission, if it has one: once it is planned, or before if an earlier run has recorded it. */
  get idempotencyKey(): string | undefined {
    return this.#idempotencyKey;
  }

  /** What it has cost in all runs. */
  get cost(): RowCost {
    const { usd: chargedUsd, largestUsd } = this.#charges;
    return { chargedUsd, estimatedUsd: this.#estimatedUsd, largestUsd };
  }

  /** What its responses have cost in all runs. */
  get charges(): KeyCharges {
    return this.#charges;
  }

  /** The task of the row, once it is accepted. Chats have none. */
  get task(): Task | undefined {
    return this.#task;
  }

  /** Sets what is known about the row before this run does anything for it. */
  identify(id: string, history: RowHistory): void {
    this.#expectStartOf('identify');
    this.#id = id;
    this.#history = history;
    // Without a readable `submit` line, the receipt still has the key.
    this.#idempotencyKey = history.key ?? history.receipt?.idempotencyKey;
    const { cost = noCost, isChargeKnown, isKeyForgotten: isForgotten } = history;
    const counted = isChargeKnown ? { fromReplay: false, isForgotten } : undefined;
    const isOpen = cost.estimatedUsd > 0;
    this.#charges = new KeyCharges(counted, cost.chargedUsd, cost.largestUsd, isOpen);
    this.#estimatedUsd = cost.estimatedUsd;
  }

  /** An earlier run has left its task, or the completion of a chat. */
  resume(task: Task | undefined): void {
    this.#expectStartOf('resume');
    this.#task = task;
    this.#state = 'durable';
  }

  /** The row is planned, and is submitted under this key. */
  setKey(idempotencyKey: string | undefined): void {
    this.#expectStartOf('setKey');
    this.#idempotencyKey = idempotencyKey;
  }

  /** Its `submit` line is durable. */
  record(): void {
    this.#expectStartOf('record');
    this.#state = 'recorded';
  }

  /** An attempt is handed to `fetch`. */
  markSent(): void {
    this.#expectStartOf('markSent');
    this.#state = 'sent';
  }

  /** The service has certainly not accepted what this run has sent. Has no effect on a row that is not sent. */
  markUnsent(): void {
    if (this.#state === 'sent') this.#state = 'recorded';
  }

  /** The service has accepted its submission. Chats have no task. */
  accept(task: Task | undefined): void {
    this.#expectStartOf('accept');
    this.#task = task;
    this.#state = 'accepted';
  }

  /** A later run finds what was accepted. */
  makeDurable(): void {
    this.#expectStartOf('makeDurable');
    this.#state = 'durable';
  }

  /** Sets the sum of the estimates for its submissions that may have been charged. */
  setEstimate(estimatedUsd: number): void {
    this.#estimatedUsd = estimatedUsd;
  }

  /** Aborts what the row waits for. Created when the row starts: a recovery knows all rows in advance. */
  get controller(): AbortController {
    return (this.#controller ??= new AbortController());
  }

  /** Whether this run or an earlier one may have paid for it. */
  get mayBePaid(): boolean {
    return !['planned', 'recorded'].includes(this.#state) || mayBeCharged(this.#history);
  }

  /** What decides whether an error of the row is final. */
  get chargeFacts(): ChargeFacts {
    return {
      hasTask: this.#task !== undefined,
      mayBeCharged: mayBeCharged(this.#history),
      isRecorded: this.#state !== 'planned',
    };
  }

  #expectStartOf(step: keyof typeof startsOf): void {
    const starts: readonly RowState[] = startsOf[step];
    if (starts.includes(this.#state)) return;
    throw new Error(`Bug in polygate: ${step}() of row ${this.#id}, which is ${this.#state}.`);
  }
}
