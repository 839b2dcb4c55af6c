import type { Polygate, Task } from 'polygate';
import { AbortedError, ConfigurationError, PolygateError } from 'polygate';

import { contextOf, isUncharged, parseResponseMeta, withEarlierCharge } from '../../internal.ts';
import { isVoid } from '../../paid/verdict.ts';
import { earlierRequestAdvice } from '../cli/failure.ts';
import { CommandLog } from '../cli/run-command.ts';
import { submitEntry } from '../cli/submit-task.ts';
import { hashOf } from '../cli/task-store.ts';
import type { GenerationRequest, TaskEntry, TaskStore } from '../cli/task-store.ts';
import { note } from '../cli/terminal.ts';
import type { ProcessBudget, Reserved } from './budget.ts';
import { quoteOf } from './budget.ts';
import type { Call } from './call.ts';
import type { Refunds } from './refunds.ts';
import { CallFailure, chooseModel, continueTask, repeatCall } from './replies.ts';

/** What submissions need of the server. */
export interface SubmissionsOptions {
  readonly gateway: Polygate;
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

/** A task with what the state folder has about it. */
export interface OpenTask {
  readonly task: Task;
  readonly entry: TaskEntry;
  /** Whether an earlier call has submitted it. */
  readonly isEarlier: boolean;
  /** When an earlier request was sent, if the service has not recognized this one as its repetition. */
  readonly unrecognizedSince?: string | undefined;
}

/** Submits each request once, and finds the tasks that earlier calls and processes have submitted. */
export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #open = new Map<string, Promise<OpenTask>>();
  /** The tasks that this process has submitted, by id. Their receipts may not have been stored. */
  readonly #accepted = new Map<string, OpenTask>();
  /** The keys that this process was the first to send. */
  readonly #ownKeys = new Set<string>();

  constructor(options: SubmissionsOptions) {
    this.#options = options;
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
    const entry = this.#options.store
      .find(id)
      .find((found) => this.#isOurs(found) && found.receipt?.id === id);
    return entry === undefined ? this.#accepted.get(id) : this.#resume(entry);
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

  /** The task of an entry with a receipt. Another program may have found what this one has paid for. */
  #resume(entry: TaskEntry): OpenTask | undefined {
    const { gateway, budget } = this.#options;
    const { receipt, idempotencyKey } = entry;
    if (receipt === undefined) return undefined;
    const task = gateway.resume(receipt);
    const usd = budget.settle(idempotencyKey, task);
    if (usd !== undefined) this.#addCharge(idempotencyKey, usd, true);
    return { task, entry, isEarlier: true };
  }

  /** Adds a charge whose refund belongs to this process. */
  #addCharge(idempotencyKey: string, usd: number, isReplay: boolean): void {
    // The service replays a request of an earlier process to this one. It was charged before this one has started.
    if (isReplay && !this.#ownKeys.has(idempotencyKey)) return;
    this.#options.refunds.addCharge(idempotencyKey, usd);
  }

  async #submit(order: Order, call: Call): Promise<OpenTask> {
    const { tool, request } = order;
    const log = new CommandLog({ command: tool, isPaid: true, clean: this.#options.clean });
    try {
      const known = this.#findSent(order, log);
      const resumed = known && this.#resume(known);
      if (resumed !== undefined) return resumed;
      this.#checkModel(request.model, log);
      return await this.#pay(order, call, log);
    } catch (error) {
      const isRepeated = log.context.isRepeated === true && !isVoid(error);
      const seen = isRepeated ? withEarlierCharge(error, earlierRequestAdvice) : error;
      throw new CallFailure(seen, log.context);
    }
  }

  /** The entry of a request that an earlier call or another process has sent, which may have been charged. */
  #findSent({ idempotencyKey }: Order, log: CommandLog): TaskEntry | undefined {
    const { store, account } = this.#options;
    const known = store.get({ account, idempotencyKey });
    if (known === undefined) return undefined;
    log.noteEarlierRequest(idempotencyKey);
    return known;
  }

  #newEntry({ request, idempotencyKey, output }: Order): TaskEntry {
    const { gateway, account } = this.#options;
    return {
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
  }

  /** Only what is sent needs the permission. Tasks that were paid for are continued without it. */
  #checkModel(model: string, log: CommandLog): void {
    const { allowedModels } = this.#options;
    if (allowedModels.length === 0 || allowedModels.includes(model)) return;
    log.noteNext(chooseModel);
    throw new ConfigurationError(
      `This server may use ${allowedModels.join(', ')} only, not ${model}.`,
      { outcome: 'not-sent' },
    );
  }

  /** Reserves the price, stores the request, and sends it, unless another process has done so in the meantime. */
  async #pay(order: Order, call: Call, log: CommandLog): Promise<OpenTask> {
    const { gateway, budget, ended } = this.#options;
    const { request, body, tool, idempotencyKey } = order;
    const { kind, model } = request;
    const quote = quoteOf(kind, body, await gateway.models.retrieve(model, { signal: ended }));
    const reservation = await budget.reserve({ idempotencyKey, route: tool, model, quote });
    let isSent = false;
    try {
      if (call.signal.aborted) throw canceledBeforeSent();
      const known = this.#findSent(order, log);
      if (known?.receipt !== undefined) {
        // The charge of another process is not part of this budget.
        reservation.leave(notSent());
        const resumed = this.#resume(known);
        if (resumed !== undefined) return resumed;
      }
      const entry = known ?? this.#newEntry(order);
      if (known === undefined) this.#storeFirst(entry, log);
      isSent = true;
      const task = await this.#send(entry, log, reservation);
      this.#addCharge(idempotencyKey, reservation.charge(task), task.replayed);
      return this.#accept(task, entry, known);
    } catch (error) {
      const isKnown = PolygateError.is(error) && error.outcome !== undefined;
      const isUnknown = isSent && (log.context.isRepeated === true || !isUncharged(error));
      reservation.leave(isKnown ? error : notSent(isUnknown ? 'unknown' : 'not-sent'));
      throw error;
    }
  }

  /** Stores a request before it is sent. */
  #storeFirst(entry: TaskEntry, { context }: CommandLog): void {
    this.#options.store.writeFirst(entry);
    if (!context.isRepeated) this.#ownKeys.add(entry.idempotencyKey);
  }

  async #send(entry: TaskEntry, log: CommandLog, reservation: Reserved): Promise<Task> {
    const { gateway, store, ended, clean } = this.#options;
    const { idempotencyKey } = entry;
    const waitCommand = (idOrKey: string) =>
      idOrKey === idempotencyKey ? repeatCall : continueTask(idOrKey, clean);
    const onResponse = (response: Response) => {
      const { chargeUsd } = parseResponseMeta(response, contextOf(gateway));
      if (chargeUsd) reservation.note(chargeUsd);
    };
    const beforeSent = reservation.recheck;
    const run = { gateway, store, signal: ended, log, waitCommand, beforeSent, onResponse };
    const task = await submitEntry(entry, run, log.context.isRepeated ?? false);
    if (task.id) note(`Submitted as ${clean(task.id)}.`);
    return task;
  }

  /** Remembers an accepted task. */
  #accept(task: Task, entry: TaskEntry, known: TaskEntry | undefined): OpenTask {
    const accepted = { ...entry, request: undefined, receipt: task.toJSON() };
    const isUnrecognized = known !== undefined && !task.replayed;
    const unrecognizedSince = isUnrecognized ? known.createdAt : undefined;
    const opened = { task, entry: accepted, isEarlier: task.replayed, unrecognizedSince };
    if (task.id) this.#accepted.set(task.id, { ...opened, isEarlier: true });
    return opened;
  }
}

const notSent = (outcome: 'unknown' | 'not-sent' = 'not-sent') =>
  new PolygateError('not sent', { outcome });

const canceledBeforeSent = () =>
  new AbortedError('The call was canceled before the request was sent.', { outcome: 'not-sent' });
