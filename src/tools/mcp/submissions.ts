import type { Polygate, Task } from 'polygate';
import { AbortedError, ConfigurationError, PolygateError } from 'polygate';

import { withEarlierCharge } from '../../internal.ts';
import { isUncharged } from '../../paid/failed-call.ts';
import { earlierRequestAdvice } from '../cli/failure.ts';
import { CommandLog } from '../cli/run-command.ts';
import { StoredTask, submitEntry } from '../cli/stored-task.ts';
import type { GenerationRequest, TaskEntry, TaskStore } from '../cli/task-store.ts';
import { note } from '../cli/terminal.ts';
import type { ProcessBudget, Reserved } from './budget.ts';
import { quoteOf } from './budget.ts';
import type { Call } from './call.ts';
import type { Refunds } from './refunds.ts';
import { CallFailure, chooseModel, continueTask, repeatCall } from './replies.ts';
import type { Session } from './session.ts';

/** What the tools of one server have in common. */
export interface Services {
  readonly gateway: Polygate;
  readonly session: Session;
  readonly store: TaskStore;
  readonly account: string;
  readonly budget: ProcessBudget;
  readonly refunds: Refunds;
  /** The models that may be paid for; empty for all. */
  readonly allowedModels: readonly string[];
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

/** A task with its file in the state folder. */
export interface OpenTask {
  readonly task: Task;
  readonly stored: StoredTask;
  /** What it has cost in USD, with all attempts of the call that has submitted it; undefined if no charge was reported. */
  readonly chargeUsd: number | undefined;
  /** Whether an earlier call has submitted it. */
  readonly isEarlier: boolean;
  /** When an earlier request was sent, if the service has not recognized this one as its repetition. */
  readonly unrecognizedSince?: string | undefined;
}

/** Submits each request once, and finds the tasks that earlier calls and processes have submitted. */
export class Submissions {
  readonly #services: Omit<Services, 'session'>;
  readonly #open = new Map<string, Promise<OpenTask>>();
  /** The tasks that this process has submitted, by id. Their receipts may not have been stored. */
  readonly #accepted = new Map<string, OpenTask>();
  /** The keys that this process was the first to send. */
  readonly #ownKeys = new Set<string>();

  constructor(services: Omit<Services, 'session'>) {
    this.#services = services;
  }

  /**
   * Returns the task of a request, and submits it if it has none. What was sent is not canceled with the call.
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
          // The other call was canceled before it sent anything. This one was not.
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
  find(id: string): OpenTask | undefined {
    const entry = this.list().find(({ receipt }) => receipt?.id === id);
    if (entry === undefined) return this.#accepted.get(id);
    return this.#resume(StoredTask.continue(this.#services.store, entry));
  }

  /** The tasks of this API key, latest first. */
  list(): TaskEntry[] {
    const { store, account } = this.#services;
    const entries = store.list().filter((entry) => entry.account === account);
    return entries.toReversed();
  }

  /** The task of a request with a receipt. Another program may have found what this one has paid for. */
  #resume(stored: StoredTask): OpenTask | undefined {
    const { gateway, budget } = this.#services;
    const { receipt, idempotencyKey } = stored.entry;
    if (receipt === undefined) return undefined;
    const task = gateway.resume(receipt);
    const usd = budget.settle(idempotencyKey, task);
    if (usd !== undefined) this.#addCharge(idempotencyKey, usd, true);
    return { task, stored, chargeUsd: task.chargeUsd, isEarlier: true };
  }

  /** Adds a charge whose refund belongs to this process. */
  #addCharge(idempotencyKey: string, usd: number, isReplay: boolean): void {
    // The service replays a request of an earlier process to this one. It was charged before this one has started.
    if (isReplay && !this.#ownKeys.has(idempotencyKey)) return;
    this.#services.refunds.addCharge(idempotencyKey, usd);
  }

  async #submit(order: Order, call: Call): Promise<OpenTask> {
    const { tool, request } = order;
    const log = new CommandLog({ command: tool, isPaid: true, clean: this.#services.clean });
    try {
      const resumed = this.#resume(noteEarlier(this.#find(order), log));
      if (resumed !== undefined) return resumed;
      this.#checkModel(request.model, log);
      return await this.#pay(order, call, log);
    } catch (error) {
      const isRepeated = log.context.isRepeated ?? false;
      const seen = isRepeated ? withEarlierCharge(error, earlierRequestAdvice) : error;
      throw new CallFailure(seen, log.context);
    }
  }

  /** Describes a request, with what an earlier call or another process has recorded about it. */
  #find({ request, idempotencyKey, output }: Order): StoredTask {
    const { gateway, store, account } = this.#services;
    const { baseURL } = gateway;
    return StoredTask.find(store, { baseURL, account, idempotencyKey, output, request });
  }

  /** Only what is sent needs the permission. Tasks that were paid for are continued without it. */
  #checkModel(model: string, log: CommandLog): void {
    const { allowedModels } = this.#services;
    if (allowedModels.length === 0 || allowedModels.includes(model)) return;
    log.note({ next: chooseModel });
    throw new ConfigurationError(
      `This server may use ${allowedModels.join(', ')} only, not ${model}.`,
      { outcome: 'not-sent' },
    );
  }

  /** Reserves the price, stores the request, and sends it, unless another process has done so in the meantime. */
  async #pay(order: Order, call: Call, log: CommandLog): Promise<OpenTask> {
    const { gateway, budget, ended } = this.#services;
    const { request, body, tool, idempotencyKey } = order;
    const { kind, model } = request;
    const quote = quoteOf(kind, body, await gateway.models.retrieve(model, { signal: ended }));
    const reservation = await budget.reserve({ idempotencyKey, route: tool, model, quote });
    let isSent = false;
    try {
      if (call.signal.aborted) throw canceledBeforeSent();
      const stored = noteEarlier(this.#find(order).record(), log);
      // The charge of another process is not part of this budget.
      if (stored.entry.receipt !== undefined) reservation.leave(notSent());
      const resumed = this.#resume(stored);
      if (resumed !== undefined) return resumed;
      if (!stored.isRepeated) this.#ownKeys.add(idempotencyKey);
      isSent = true;
      const task = await this.#send(stored, log, reservation);
      this.#addCharge(idempotencyKey, reservation.charge(task), task.replayed);
      return this.#accept(task, stored, reservation.chargedUsd || task.chargeUsd);
    } catch (error) {
      const isKnown = PolygateError.is(error) && error.outcome !== undefined;
      const isUnknown = isSent && (log.context.isRepeated === true || !isUncharged(error));
      reservation.leave(isKnown ? error : notSent(isUnknown ? 'unknown' : 'not-sent'));
      throw error;
    }
  }

  async #send(stored: StoredTask, log: CommandLog, reservation: Reserved): Promise<Task> {
    const { gateway, ended, clean } = this.#services;
    const { idempotencyKey } = stored.entry;
    const waitCommand = (idOrKey: string) =>
      idOrKey === idempotencyKey ? repeatCall : continueTask(idOrKey, clean);
    const { recheck: beforeSent, note: onResponse } = reservation;
    const run = { gateway, signal: ended, log, waitCommand, beforeSent, onResponse };
    const task = await submitEntry(stored, run);
    if (task.id) note(`Submitted as ${clean(task.id)}.`);
    return task;
  }

  /** Remembers an accepted task. */
  #accept(task: Task, stored: StoredTask, chargeUsd: number | undefined): OpenTask {
    const isUnrecognized = stored.isRepeated && !task.replayed;
    const unrecognizedSince = isUnrecognized ? stored.entry.createdAt : undefined;
    const opened = { task, stored, chargeUsd, isEarlier: task.replayed, unrecognizedSince };
    if (task.id) this.#accepted.set(task.id, { ...opened, isEarlier: true });
    return opened;
  }
}

/** Notes that the request may have been charged already. */
function noteEarlier(stored: StoredTask, log: CommandLog): StoredTask {
  const { idempotencyKey } = stored.entry;
  if (stored.isRepeated) log.note({ sent: 'unknown', isRepeated: true, idempotencyKey });
  return stored;
}

const notSent = (outcome: 'unknown' | 'not-sent' = 'not-sent') =>
  new PolygateError('not sent', { outcome });

const canceledBeforeSent = () =>
  new AbortedError('The call was canceled before the request was sent.', { outcome: 'not-sent' });
