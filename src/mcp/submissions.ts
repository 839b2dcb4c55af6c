import type { Polygate, Task } from 'polygate';
import { AbortedError, PolygateError } from 'polygate';

import type { FailureContext } from '../cli/failure.ts';
import { submitEntry } from '../cli/generate/submit.ts';
import { hashOf } from '../cli/state/task-entry.ts';
import type { GenerationRequest, TaskEntry } from '../cli/state/task-entry.ts';
import type { TaskStore } from '../cli/state/task-store.ts';
import { withEarlierCharge } from '../internal/charges.ts';
import type { ProcessBudget } from './budget.ts';
import type { Call } from './call.ts';
import { CallFailure } from './failure.ts';
import { priceOf } from './price.ts';
import type { Refunds } from './refunds.ts';

/** What submissions need of the server. */
export interface SubmissionsOptions {
  readonly gateway: Polygate;
  readonly store: TaskStore;
  readonly account: string;
  readonly budget: ProcessBudget;
  readonly refunds: Refunds;
  /** Aborts when the server ends. */
  readonly ended: AbortSignal;
  readonly clean: (text: string) => string;
}

/** A request that a tool pays for. */
export interface Order {
  readonly tool: string;
  readonly request: GenerationRequest;
  /** All fields of the request, which its price depends on. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  /** Template of the file names. */
  readonly output: string;
}

/** A task with what the state folder has about it. */
export interface OpenTask {
  readonly task: Task;
  readonly entry: TaskEntry;
  /** Whether an earlier call has submitted it. */
  readonly isEarlier: boolean;
}

/** Submits each request once, and finds the tasks that earlier calls and processes have submitted. */
export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #open = new Map<string, Promise<OpenTask>>();

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the task of a request, and submits it if it has none. What was sent is not cancelled with the call.
   *
   * @throws {@link CallFailure} if it fails.
   */
  open(order: Order, call: Call): Promise<OpenTask> {
    const { idempotencyKey } = order;
    const known = this.#open.get(idempotencyKey);
    if (known !== undefined) {
      return known.then(
        (opened) => ({ ...opened, isEarlier: true }),
        (error: unknown) => {
          // The other call was cancelled before it sent anything. This one was not.
          const isOther = error instanceof CallFailure && AbortedError.is(error.cause);
          if (isOther && !call.signal.aborted) return this.open(order, call);
          throw error;
        },
      );
    }
    const opened = this.#submit(order, call);
    this.#open.set(idempotencyKey, opened);
    opened.catch(() => this.#open.delete(idempotencyKey));
    return opened;
  }

  /** Finds a task by its id; undefined if it was not submitted on this machine with this API key. */
  async find(id: string): Promise<OpenTask | undefined> {
    const { gateway, store } = this.#options;
    const entry = store.find(id).find((found) => this.#isOurs(found) && found.receipt?.id === id);
    if (entry?.receipt === undefined) return undefined;
    const opened = this.#open.get(entry.idempotencyKey);
    return opened ?? { task: gateway.resume(entry.receipt), entry, isEarlier: true };
  }

  /** The tasks of this API key, latest first. */
  list(): TaskEntry[] {
    return this.#options.store
      .list()
      .filter((entry) => this.#isOurs(entry))
      .toReversed();
  }

  #isOurs({ account }: TaskEntry): boolean {
    return account === this.#options.account;
  }

  async #submit(order: Order, call: Call): Promise<OpenTask> {
    const { gateway, store, account, clean } = this.#options;
    const { tool, request, idempotencyKey, output } = order;
    const known = store.get({ account, idempotencyKey });
    if (known?.receipt !== undefined) {
      return { task: gateway.resume(known.receipt), entry: known, isEarlier: true };
    }
    const context: FailureContext = { command: tool, isPaid: true, idempotencyKey, clean };
    // An earlier process or call has sent it.
    if (known !== undefined) context.sent = 'maybe';
    const entry: TaskEntry = known ?? {
      v: 1,
      kind: request.kind,
      baseURL: gateway.baseURL,
      account,
      idempotencyKey,
      hash: hashOf(request),
      createdAt: new Date().toISOString(),
      output,
      request,
    };
    try {
      const task = await this.#pay(entry, order, call, context, known !== undefined);
      const accepted = { ...entry, request: undefined, receipt: task.toJSON() };
      return { task, entry: accepted, isEarlier: task.replayed };
    } catch (error) {
      throw new CallFailure(known === undefined ? error : withEarlierCharge(error), context);
    }
  }

  /** Reserves the price, stores the request, and sends it. */
  async #pay(
    entry: TaskEntry,
    { request, body, tool, idempotencyKey }: Order,
    call: Call,
    context: FailureContext,
    isRepeated: boolean,
  ): Promise<Task> {
    const { gateway, store, budget, refunds, ended } = this.#options;
    const { kind, model } = request;
    const record = await gateway.models.retrieve(model, { signal: ended });
    const price = priceOf(kind, body, record);
    const reservation = await budget.reserve({ idempotencyKey, route: tool, model, price });
    try {
      if (call.signal.aborted) throw cancelledBeforeSent();
      if (!isRepeated) store.writeFirst(entry);
      const waitCommand = (idOrKey: string) =>
        idOrKey === idempotencyKey ? repeatCall : `call get_task with task_id ${idOrKey}`;
      const run = { gateway, store, signal: ended, context, waitCommand };
      const task = await submitEntry(entry, run, isRepeated);
      const usd = reservation.charge(task);
      if (!isRepeated) refunds.addCharge(idempotencyKey, usd);
      return task;
    } catch (error) {
      const seen = isRepeated ? withEarlierCharge(error) : error;
      const isKnown = PolygateError.is(seen) && seen.outcome !== undefined;
      // Errors without an outcome are those of the params and of the file system, before anything was sent.
      const outcome = isRepeated ? 'unknown' : 'not-sent';
      reservation.leave(isKnown ? seen : new PolygateError('not sent', { outcome }));
      throw error;
    }
  }
}

/** How to continue while only the key of a task is known. */
export const repeatCall = 'repeat this call with the same arguments';

const cancelledBeforeSent = () =>
  new AbortedError('The call was cancelled before the request was sent.', { outcome: 'not-sent' });
