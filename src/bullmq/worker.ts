import { DelayedError, RateLimitError, UnrecoverableError, Worker } from 'bullmq';
import type { Job, Queue } from 'bullmq';
import type { Polygate } from 'polygate';

import { Admissions } from './admission.ts';
import { lacksKey } from './decisions/failures.ts';
import { afterLostChat } from './decisions/submit.ts';
import { finish, isControlFlow, logFailedStep, RowTakenError } from './job-end.ts';
import type { Step } from './move.ts';
import { disconnect, reconnecting, repeatInOutage, withinTime } from './redis/connection.ts';
import type { RowStore, StoredRow } from './redis/store.ts';
import { RowPrices } from './row-prices.ts';
import { isEnded } from './row.ts';
import type { RowData } from './row.ts';
import { poll, submit } from './steps.ts';
import type { StepOptions } from './steps.ts';

/** How long a job of a dead worker is locked, in ms, and how often locks are checked. */
const lockDuration = 10_000;
const stalledInterval = 5_000;

/** How long this worker takes no jobs after a row that was not admitted, in ms, so that polls which become due come first. */
const slotPause = 200;

/** How long this worker takes no jobs after a row that the paused queue may not submit, in ms. */
const pauseTime = 500;

/** How long a row rests after a step that could not be completed, in ms. */
const retryDelay = 2_000;

/** The result of {@link GenerationQueue.work}. */
export interface QueueWorker {
  /**
   * Takes no more rows, waits for the steps that are in progress, and disconnects. Repeated calls do the same. While
   * Redis is unreachable, it waits at most 20 s; other workers then continue the rows. Never rejects.
   */
  close(): Promise<void>;
  /** Resolves when the worker has been closed. Never rejects. */
  readonly run: Promise<void>;
}

/** What a worker needs from its queue. */
export interface WorkerContext extends StepOptions {
  readonly queue: Queue<RowData>;
  readonly prefix: string;
  readonly gateway: Polygate;
  readonly store: RowStore;
  readonly maxUsd: number | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/** Starts to work on rows. */
export function startWorker(context: WorkerContext): QueueWorker {
  const { queue, prefix, store, concurrency, signal } = context;
  const connection = reconnecting(store.redis);
  const connections = [connection];
  const duplicate = connection.duplicate.bind(connection);
  // BullMQ opens another connection, and cannot close it while Redis is unreachable.
  connection.duplicate = (...options) => {
    const blocking = duplicate(...options);
    connections.push(blocking);
    return blocking;
  };
  const runner = new StepRunner(context);
  const worker = new Worker<RowData>(queue.name, (job, token) => runner.run(job, token), {
    connection,
    prefix,
    concurrency,
    lockDuration,
    stalledInterval,
    // A row may lose any number of workers.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  // BullMQ repeats what a lost connection has interrupted, and another worker continues the rows of a lost one.
  worker.on('error', () => undefined);
  let closing: Promise<void> | undefined;
  let stopped = () => {};
  const run = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const stop = async () => {
    signal?.removeEventListener('abort', abort);
    await endOrOutage(worker.close(), () => store.redis.ping());
    runner.stop();
    connections.forEach(disconnect);
    stopped();
  };
  const close = () => (closing ??= stop());
  const abort = () => void close();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { close, run };
}

/** Waits for the end of all steps, which can take minutes, but not while Redis is unreachable. */
async function endOrOutage(end: Promise<void>, ping: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const outage = new Promise<void>((resolve) => {
    timer = setInterval(() => void withinTime(ping()).catch(() => resolve()), 1_000);
  });
  await Promise.race([end, outage]).catch(() => undefined);
  clearInterval(timer);
}

/** Takes rows from step to step. */
class StepRunner {
  readonly #context: WorkerContext;
  readonly #admissions: Admissions;
  readonly #prices: RowPrices;

  constructor(context: WorkerContext) {
    this.#context = context;
    this.#admissions = new Admissions(context);
    this.#prices = new RowPrices(context.gateway);
  }

  /** Stops renewing slots as soon as none is held. */
  stop(): void {
    this.#admissions.stop();
  }

  /**
   * Executes the next step of a row. The job fails only with its row: if Redis or the price list fails, or another
   * process has taken the row, the process that holds the lock of the job continues it later.
   */
  async run(job: Job<RowData>, token: string | undefined): Promise<unknown> {
    try {
      return await this.#run(job, token);
    } catch (error) {
      if (isControlFlow(error)) throw error;
      logFailedStep(this.#context.gateway, job, retryDelay, error);
      // Without the lock, this fails. Without Redis, the job stays locked for a while and is then found by a worker.
      await job.moveToDelayed(Date.now() + retryDelay, token).catch(() => undefined);
      throw new DelayedError();
    } finally {
      this.#admissions.release(job.id ?? '');
    }
  }

  async #run(job: Job<RowData>, token: string | undefined): Promise<unknown> {
    const { store, gateway } = this.#context;
    const [row, redisTime] = await Promise.all([store.readJob(job.id ?? ''), store.now()]);
    const startedAt = performance.now();
    if (row === undefined) throw new UnrecoverableError('The job is not a row of polygate.');
    if (isEnded(row.status)) return finish(row);
    const clock = () => redisTime + performance.now() - startedAt;
    if (row.status === 'running') {
      return this.#apply(job, token, row, await poll({ gateway, row, clock }));
    }
    if (row.status === 'submitting' && row.data.kind === 'chat') {
      // The turn stays that of the worker that has sent it, which may still be alive and record the completion.
      return this.#apply(job, token, row, afterLostChat(row));
    }
    return this.#submit(job, token, row, clock);
  }

  /** Submits a row as soon as it is admitted. Returns it to the queue if that takes too long. */
  async #submit(
    job: Job<RowData>,
    token: string | undefined,
    row: StoredRow,
    clock: () => number,
  ): Promise<unknown> {
    if (!(await this.#admissions.takePermit())) return this.#returnToQueue(slotPause);
    try {
      const jobId = job.id ?? '';
      const priceUsd = await this.#priceOf(row.data);
      const admission = await this.#admissions.admit(jobId, row.version, priceUsd);
      if (!admission.admitted) {
        if (admission.reason === 'gone') throw new RowTakenError();
        return await this.#returnToQueue(admission.reason === 'paused' ? pauseTime : slotPause);
      }
      const mayBeCharged = row.state.mayBeCharged === true || admission.before === 'submitting';
      const step = await submit({ ...this.#context, row, mayBeCharged, priceUsd, clock });
      return await this.#apply(job, token, { ...row, turn: admission.turn }, step);
    } finally {
      this.#admissions.releasePermit();
    }
  }

  /** Records what a step has led to, and decides when the job runs again. */
  async #apply(
    job: Job<RowData>,
    token: string | undefined,
    row: StoredRow,
    { move, delayMs, pause }: Step,
  ): Promise<unknown> {
    const { store } = this.#context;
    const { state, to } = move;
    if (pause) await store.pause(pause);
    const jobId = job.id ?? '';
    const record = () => store.move(jobId, row.key, row.turn, move);
    const isMoved =
      (await (state.completion ? repeatInOutage(record) : record())) ||
      // Another worker has recorded the chat as lost, because this one was cut off from Redis. Here is what was paid
      // for.
      (state.completion &&
        (await store.move(jobId, row.key, row.turn, { ...move, from: 'unknown' })));
    if (!isMoved) throw new RowTakenError();
    const progress = to === 'succeeded' ? 100 : state.progress;
    if (progress !== undefined && progress !== job.progress)
      await job.updateProgress(progress).catch(() => undefined);
    if (isEnded(to)) return finish({ ...row, status: to, state });
    if (delayMs === undefined) return this.#returnToQueue(pauseTime);
    // Polls come before new rows.
    if (to === 'running' && job.priority > 0) await job.changePriority({ priority: 0 });
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  /** Returns a job to its position in the queue. This worker takes no jobs for `ms`. */
  async #returnToQueue(ms: number): Promise<never> {
    await this.#context.queue.rateLimit(ms);
    throw new RateLimitError();
  }

  /** What a row costs in USD at most, if there is a budget. Without an API key, pauses the queue. */
  async #priceOf(data: RowData): Promise<number> {
    const { maxUsd, store } = this.#context;
    if (maxUsd === undefined) return 0;
    try {
      return await this.#prices.of(data);
    } catch (error) {
      if (!lacksKey(error)) throw error;
      await store.pause('authentication');
      return this.#returnToQueue(pauseTime);
    }
  }
}
