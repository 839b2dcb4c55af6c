import type { Generation, TaskHandle, TaskKind, TaskUpdate } from 'polygate';

import { restateCharge } from '../../../errors/restate-charge.ts';
import { isUncharged, isVoid, namedTask } from '../../../paid/failed-call.ts';
import { next } from '../../../paid/life.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { EntryState } from './entry-state.ts';
import type { GenerationRequest } from './entry-state.ts';
import type { Entry } from './entry.ts';
import { fingerprintOf, lifeOf, randomKey } from './entry.ts';
import { canWaitLater, earlierCharge, refusal, toError } from './errors.ts';
import { isWaiting, hasExpired } from './generation-state.ts';
import type { Succeeded } from './generation-state.ts';
import { rest } from './store-base.ts';
import { heldLocks, withLock, onWake } from './stored-value.ts';

/** How late a browser may show what another tab has stored, in ms. */
const maxLateness = 500;

/** Decides what to send, given what is stored. Undefined if there is nothing to send. Throws to refuse. */
type Choose<Params> = (stored: Entry | undefined) => GenerationRequest<Params> | undefined;

/**
 * One generation. It waits for the task while it has subscribers. A request that it has started always
 * continues to the receipt, because it is paid for.
 */
export class GenerationStore<Params, Kind extends TaskKind> extends EntryState<Params, Kind> {
  #hasCheckedURL = false;
  /** Whether this tab still has the lock of its last request. */
  #keepsLock = false;

  /** Submits a task. Resolves to its result, or to undefined after a failure. */
  async generate(given: Params): Promise<Succeeded<Kind> | undefined> {
    const fingerprint = fingerprintOf(given);
    // The app may change its object before it is sent, or sent again. It was written as JSON just now.
    const json = JSON.stringify(given);
    const params = unchecked<Params>(JSON.parse(json));
    const { storeParams = true } = this.settings;
    return this.#start((stored) => {
      // A task that was stopped, or whose wait has failed, is abandoned: another one may take its place.
      const isForced = this.isStopped || Boolean(this.error);
      const step = next(lifeOf(stored), { fingerprint, isForced }, 'place');
      if (step === 'resend' && stored) {
        // Other params can have the same fingerprint.
        const isSame = JSON.stringify(this.paramsOf(stored) ?? params) === json;
        if (isSame) return { entry: stored, params };
        throw refusal('outcome_unknown');
      }
      if (step !== 'send') throw refusal(step);
      const entry: Entry = { v: 1, key: randomKey(), fingerprint };
      return { entry: storeParams ? { ...entry, params } : entry, params };
    });
  }

  /** Sends a request with an unknown outcome again with its key, or continues to wait for the task. */
  async resume(): Promise<Succeeded<Kind> | undefined> {
    await this.load();
    this.emit();
    if (this.submitting || this.isElsewhere) return this.settled();
    const choose: Choose<Params> = (stored) => {
      const params = this.paramsOf(stored);
      const step = next(lifeOf(stored), { hasParams: Boolean(params) }, 'place');
      if (step === 'resend' && stored && params) return { entry: stored, params };
      if (step !== 'wait') throw refusal(step);
      return undefined;
    };
    if (choose(this.entry)) return this.#start(choose);
    this.isStopped = false;
    this.error = undefined;
    this.emit();
    this.#restart();
    return this.settled();
  }

  /** Stops waiting. The task continues, and is waited for after a reload. */
  stop(): void {
    if (!this.snapshot.isPending || this.isElsewhere) return;
    this.isStopped = true;
    this.cancelWait();
    this.emit();
  }

  /** Forgets the generation, in all tabs. */
  reset(): void {
    this.abortSubmit();
    this.replace();
    void this.stored.update((_, set) => set(null));
    this.emit();
  }

  protected attach(signal: AbortSignal): void {
    this.stored.listen(() => void this.#refresh(), signal);
    onWake(() => void this.#refresh().then(() => this.#restart()), signal);
    void this.#refresh().then(() => this.#checkURL());
  }

  protected override detach(): void {
    this.cancelWait();
    this.settle();
  }

  /** Shows what is stored, and waits for the task. */
  async #refresh(): Promise<void> {
    await this.load();
    const lock = this.stored.lockName('submit');
    const isUnknown = () =>
      this.entry && !this.entry.receipt && !this.submitting && !this.waiting && !this.#keepsLock;
    if (
      isUnknown() &&
      (await heldLocks()).some(({ name }) => name === lock) &&
      isUnknown() &&
      this.attached
    ) {
      this.isElsewhere = true;
      this.#runLocked(lock, false, async () => undefined);
    }
    this.emit();
    this.#follow();
  }

  /** Sends the request that `choose` returns, unless another tab is sending one. Rejects with what it throws. */
  async #start(choose: Choose<Params>): Promise<Succeeded<Kind> | undefined> {
    if (this.snapshot.isPending) throw refusal('generation_pending');
    const controller = new AbortController();
    const { signal } = controller;
    this.submitting = controller;
    this.emit();
    let refused: unknown;
    await new Promise<void>((resolve) => {
      const submit = async () => {
        await this.#submit(choose, signal).catch((error: unknown) => void (refused = error));
        if (!signal.aborted) this.submitting = undefined;
        this.emit();
        // Before the lock is released, so that the next tab that has it finds the lock of the polls.
        this.#follow();
        resolve();
        // Without a task, only this lock shows the key to a tab that sees late what this one has stored.
        this.#keepsLock = Boolean(this.attached && this.entry && !this.entry.receipt);
        if (this.#keepsLock) await rest(maxLateness, this.attached);
        this.#keepsLock = false;
      };
      void withLock(this.stored.lockName('submit'), { signal }, submit).then(resolve);
    });
    if (signal.aborted) return undefined;
    if (refused) throw refused;
    return this.settled();
  }

  /**
   * Reads what is stored. Browsers can be late to show what another tab has stored, but they show its locks at once. So
   * while another tab polls a task that this tab does not find in the storage, it reads again, for up to half a second.
   */
  async #loadLatest(retries = maxLateness / 25): Promise<void> {
    await this.load();
    const prefix = `${this.storageKey}:poll:`;
    const known = this.entry?.receipt && prefix + this.entry.key;
    const held = await heldLocks();
    if (retries && held.some(({ name }) => name?.startsWith(prefix) && name !== known)) {
      await rest(25);
      await this.#loadLatest(retries - 1);
    }
  }

  async #submit(choose: Choose<Params>, signal: AbortSignal): Promise<void> {
    await this.#loadLatest();
    if (signal.aborted) return;
    const stored = this.entry;
    const request = choose(stored);
    if (!request) return;
    const { params } = request;
    let { entry } = request;
    const isRepeated = entry === stored;
    // Before the request, so that a reload at any later moment finds the key. Params can be larger than the storage. Another
    // tab may have removed what this one still sees.
    const isStored = await this.stored.update((_, set) =>
      set(request.entry).catch(() => set((entry = { ...entry, params: undefined }))),
    );
    if (signal.aborted) return;
    if (!isStored && this.settings.requireStorage) throw refusal('not_stored');
    this.replace(entry);
    this.isStored = isStored;
    this.sent = { entry, params };
    this.error = undefined;
    this.emit();
    let task: TaskHandle<Kind>;
    try {
      task = await this.settings.namespace.submit(params, { idempotencyKey: entry.key, signal });
    } catch (error) {
      if (signal.aborted) return;
      const named = namedTask(error);
      if (!named) {
        // What is rejected now says nothing about a request that was sent before, unless none with its key was charged.
        const canForget = isRepeated ? isVoid(error) : isUncharged(error);
        const ignoresEarlier = !canForget && isUncharged(error);
        const shown = ignoresEarlier ? restateCharge(toError(error), earlierCharge) : error;
        return this.#fail(shown, canForget);
      }
      task = unchecked(named);
    }
    if (this.entry?.key !== entry.key) return;
    this.task = task;
    const { status, progress } = task.latest ?? {};
    await this.save({ ...entry, params: undefined, receipt: task.toJSON(), status, progress });
  }

  /** Shows an error. Forgets the generation if nothing was charged. */
  async #fail(thrown: unknown, canForget: boolean): Promise<void> {
    const { entry } = this;
    if (!entry) return;
    const error = toError(thrown);
    if (canForget) this.replace();
    this.error = error;
    if (canForget) await this.storeIfCurrent(entry.key, null);
    else await this.save({ ...entry, reported: true });
    this.emit();
    if (!entry.reported && this.error === error) this.call('onError', error);
  }

  /** Waits for the task, if there is one to wait for: in one tab only. */
  #follow(steal = false): void {
    const { entry } = this;
    if (!this.attached || this.waiting || !entry || !isWaiting(this.snapshot.status)) return;
    const lock = this.stored.lockName(`poll:${entry.key}`);
    this.#runLocked(lock, steal, (signal) => this.#poll(entry.key, signal));
  }

  /** Runs work that a wait consists of, until it is canceled or another tab takes the lock. */
  #runLocked(
    lock: string | undefined,
    steal: boolean,
    work: (signal: AbortSignal) => Promise<void>,
  ): void {
    const controller = new AbortController();
    const { signal } = controller;
    this.waiting = controller;
    const lost = () => controller.abort();
    void withLock(lock, { signal, steal }, () => work(signal).catch(lost), lost).then(() => {
      if (this.waiting !== controller) return;
      this.waiting = undefined;
      this.isElsewhere = false;
      void this.#refresh();
    });
  }

  /** Polls immediately, even if another tab polls. */
  #restart(): void {
    if (!isWaiting(this.snapshot.status)) return;
    this.cancelWait();
    this.task = this.openTask();
    this.#follow(true);
  }

  async #poll(key: string, signal: AbortSignal): Promise<void> {
    // Another tab may have finished it.
    await this.load();
    this.emit();
    const { task } = this;
    if (signal.aborted || this.entry?.key !== key || !task) return;
    const { waitOptions } = this.settings;
    const onUpdate = (update: TaskUpdate<Kind>) => {
      const { status, progress } = update;
      const { entry } = this;
      if (entry?.key === key && !signal.aborted && isWaiting(status)) {
        void this.save({ ...entry, status, progress });
      }
      waitOptions?.onUpdate?.(update);
    };
    try {
      await this.#finish(key, await task.wait({ ...waitOptions, signal, onUpdate }));
    } catch (error) {
      if (signal.aborted) return;
      const { generation } = unchecked<{ generation?: Generation<Kind> }>(Object(error));
      // `onWake` starts another wait when this one is canceled.
      if (canWaitLater(error)) await rest(10_000, signal);
      else if (generation?.status === 'failed') await this.#finish(key, generation, toError(error));
      else await this.#fail(error, false);
    }
  }

  async #finish(key: string, generation: Generation<Kind>, error?: Error): Promise<void> {
    const { entry } = this;
    if (entry?.key !== key || entry.generation) return;
    this.#hasCheckedURL = true;
    if (!(await this.save({ ...entry, generation }, error))) return;
    if (generation.status === 'succeeded') {
      this.call('onFinish', generation);
    } else if (error && !entry.reported) this.call('onError', error);
  }

  /** Polls a finished task once if its first result has expired. */
  async #checkURL(): Promise<void> {
    const { entry } = this;
    if (this.#hasCheckedURL || entry?.generation?.status !== 'succeeded') return;
    this.#hasCheckedURL = true;
    if (!(await hasExpired(entry.generation.urls[0]))) return;
    const generation = await this.task?.retrieve().catch(() => undefined);
    if (generation?.status === 'succeeded') await this.save({ ...entry, generation });
  }
}
