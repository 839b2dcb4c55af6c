import { DelayedError, RateLimitError, UnrecoverableError, Worker } from 'bullmq';
import type { Job } from 'bullmq';

import type { Polygate } from '../client.ts';
import type { KnownPrices } from '../core/limits/estimate.ts';
import { isEnded } from './row.ts';
import type { RowData } from './row.ts';
import { estimateUsd, poll, submit } from './steps.ts';
import type { Step, StepOptions } from './steps.ts';
import type { RowStore, StoredRow } from './store.ts';

/** How long a job of a dead worker is locked, in ms, and how often locks are renewed and checked. */
const lockDuration = 10_000;
const stalledInterval = 5_000;

/** How often slots are renewed, in ms. They expire after six ticks of a second. */
const renewInterval = 1_000;

/** How long a row waits for a free slot in this process, in ms, before it returns to the queue. */
const maxSlotWait = 1_000;

/** How long the queue then hands out no rows, so that polls which are due come first, in ms. */
const slotPause = 200;

/** How long known prices are used, in ms. */
const pricingTime = 300_000;

/** How long a row rests after a step that could not be completed, in ms. */
const retryDelay = 2_000;

/** How long a paused queue hands out no rows, in ms. */
const pauseTime = 1_000;

/** The result of `queue.work()`. */
export interface QueueWorker {
  /** Takes no more rows, waits for the steps that are in progress, and disconnects. Repeated calls do the same. */
  close(): Promise<void>;
  /** Resolves when the worker has been closed. */
  readonly run: Promise<void>;
}

/** What a worker needs from its queue. */
export interface WorkerContext extends StepOptions {
  readonly name: string;
  readonly prefix: string;
  readonly gateway: Polygate;
  readonly store: RowStore;
  readonly maxUsd: number | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/** Starts to work on rows. */
export function startWorker(context: WorkerContext): QueueWorker {
  const { name, prefix, store, concurrency, signal } = context;
  // BullMQ waits for jobs with a connection of its own, which must never give up.
  const connection = store.redis.duplicate({ maxRetriesPerRequest: null });
  connection.on('error', () => undefined);
  const submissions = new Submissions(context);
  const worker: Worker<RowData> = new Worker<RowData>(
    name,
    (job, token): Promise<unknown> => submissions.runStep(worker, job, token),
    {
      connection,
      prefix,
      concurrency,
      lockDuration,
      stalledInterval,
      // A row may lose any number of workers.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    },
  );
  // Lost connections are retried by BullMQ, and rows of a lost worker are continued by another one.
  worker.on('error', () => undefined);
  let closing: Promise<void> | undefined;
  let stopped: () => void = () => undefined;
  const run = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const close = () =>
    (closing ??= worker.close().then(() => {
      submissions.stop();
      connection.disconnect();
      stopped();
    }));
  if (signal?.aborted) void close();
  signal?.addEventListener('abort', () => void close(), { once: true });
  return { close, run };
}

/** Takes rows from step to step, and renews the slots of those that this process submits. */
class Submissions {
  readonly #context: WorkerContext;
  /** Jobs that hold a slot. */
  readonly #holders = new Set<string>();
  /** Rows that submit, or wait for a slot: at most half of the worker, so that polls are never held up. */
  #submitting = 0;
  readonly #timer: NodeJS.Timeout;
  readonly #pricing = new Map<string, { pricing: Promise<KnownPrices>; expiresAt: number }>();

  constructor(context: WorkerContext) {
    this.#context = context;
    this.#timer = setInterval(() => {
      if (this.#holders.size > 0) context.store.renew([...this.#holders]).catch(() => undefined);
    }, renewInterval);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Executes the next step of a row. If Redis or the price list fails, the row is taken up again later. */
  async runStep(
    worker: Worker<RowData>,
    job: Job<RowData>,
    token: string | undefined,
  ): Promise<unknown> {
    try {
      return await this.#runStep(worker, job, token);
    } catch (error) {
      if (isControlFlow(error)) throw error;
      await job.moveToDelayed(Date.now() + retryDelay, token);
      throw new DelayedError();
    } finally {
      this.#holders.delete(job.id ?? '');
    }
  }

  async #runStep(
    worker: Worker<RowData>,
    job: Job<RowData>,
    token: string | undefined,
  ): Promise<unknown> {
    const { store, gateway } = this.#context;
    const jobId = job.id ?? '';
    const row = await store.readJob(jobId);
    if (row === undefined || row.status === 'removed') return undefined;
    if (isEnded(row.status)) return finish(row);
    const now = await store.now();
    const step =
      row.status === 'running'
        ? await poll(gateway, row, now)
        : await this.#submit(worker, jobId, row, now);
    return this.#apply(worker, job, token, row, step);
  }

  /** Submits a row as soon as it is admitted. Returns it to the queue if that takes too long. */
  async #submit(
    worker: Worker<RowData>,
    jobId: string,
    row: StoredRow,
    now: number,
  ): Promise<Step> {
    const { store, gateway, maxUsd, concurrency } = this.#context;
    const returnToQueue = async (ms: number): Promise<never> => {
      await worker.rateLimit(ms);
      throw Worker.RateLimitError();
    };
    if (this.#submitting >= Math.max(1, Math.floor(concurrency / 2)))
      return returnToQueue(slotPause);
    this.#submitting += 1;
    try {
      const priceUsd = await this.#priceOf(row);
      const giveUpAt = performance.now() + maxSlotWait;
      for (;;) {
        const admission = await store.admit(jobId, priceUsd, maxUsd);
        if (admission.admitted) {
          this.#holders.add(jobId);
          const mayBeCharged =
            (row.state.mayBeCharged ?? false) || admission.before === 'submitting';
          return await submit(gateway, row, mayBeCharged, priceUsd, now, this.#context);
        }
        if (admission.reason === 'paused') return await returnToQueue(pauseTime);
        if (admission.reason === 'gone' || performance.now() > giveUpAt)
          return await returnToQueue(slotPause);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    } finally {
      this.#submitting -= 1;
    }
  }

  /** Records what a step has led to, and decides when the job runs again. */
  async #apply(
    worker: Worker<RowData>,
    job: Job<RowData>,
    token: string | undefined,
    row: StoredRow,
    { move, delayMs, pause }: Step,
  ): Promise<unknown> {
    const { store } = this.#context;
    const jobId = job.id ?? '';
    if (pause) await store.pause(pause);
    const isMoved = (await store.move(jobId, row.key, move)) > 0;
    if (!isMoved) return this.#runStep(worker, job, token);
    const { state, to } = move;
    await job.updateProgress({ status: to, progress: state.progress ?? 0 }).catch(() => undefined);
    if (isEnded(to)) return finish({ ...row, status: to, state });
    if (delayMs === undefined) {
      await worker.rateLimit(pauseTime);
      throw Worker.RateLimitError();
    }
    // Polls come before new rows.
    if (to === 'running' && job.priority > 0) await job.changePriority({ priority: 0 });
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  /** What a row costs, with the prices of its model, which are fetched every few minutes. */
  async #priceOf({ data }: StoredRow): Promise<number> {
    const { gateway, maxUsd } = this.#context;
    if (maxUsd === undefined) return 0;
    const { model } = data.params;
    const now = performance.now();
    let known = this.#pricing.get(model);
    if (known === undefined || known.expiresAt < now) {
      const pricing = gateway.models.retrieve(model).then((record) => record.pricing);
      known = { pricing, expiresAt: now + pricingTime };
      this.#pricing.set(model, known);
      pricing.catch(() => this.#pricing.delete(model));
    }
    return estimateUsd(data, await known.pricing);
  }
}

/** Whether an error tells BullMQ what to do with a job. */
function isControlFlow(error: unknown): boolean {
  return (
    error instanceof DelayedError ||
    error instanceof UnrecoverableError ||
    error instanceof RateLimitError
  );
}

/** The result of a job. It is in Redis already, with the row. */
function finish({ status, state }: StoredRow): { taskId: string | undefined } {
  if (status === 'succeeded') return { taskId: state.receipt?.id };
  throw new UnrecoverableError(state.error?.message ?? status);
}
