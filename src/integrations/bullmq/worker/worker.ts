import { DelayedError, RateLimitError, UnrecoverableError, Worker } from 'bullmq';
import type { Job, Queue } from 'bullmq';

import type { KeyCharges } from '../../../internal.ts';
import { afterLostChat } from '../decisions/chat-plan.ts';
import { afterClose, afterExceeded, nextOf } from '../decisions/plan.ts';
import { jobEndAfter, jobEndAfterRefusal, jobEndOf } from '../decisions/step.ts';
import type { JobEnd, Step } from '../decisions/step.ts';
import { disconnect, reconnecting, trackDuplicates, withinTime } from '../redis/connection.ts';
import { isEnded, lacksKey } from '../row.ts';
import type { RowData, StoredRow } from '../row.ts';
import { Admissions, reserveRetry } from './admissions.ts';
import { recordSubmission, RowPrices } from './record-submission.ts';
import type { RowPrice } from './record-submission.ts';
import { logFailedStep, logMinor, nameOf, poll, submit } from './steps.ts';
import type { DueRow, RunnerContext } from './steps.ts';

/** How long a job stays locked after its worker dies, and how often locks are checked, in ms. */
const lockDuration = 10_000;
const stalledInterval = 5_000;

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
export interface WorkerContext extends RunnerContext {
  readonly prefix: string;
  readonly signal: AbortSignal | undefined;
}

/** Starts to work on rows. */
export function startWorker(context: WorkerContext): QueueWorker {
  const { jobs, prefix, rows, gateway, concurrency, signal } = context;
  const connection = reconnecting(rows.redis);
  const connections = trackDuplicates(connection);
  const runner = new StepRunner(context);
  const worker = new Worker<RowData>(jobs.name, (job, token) => runner.run(job, token), {
    connection,
    prefix,
    concurrency,
    lockDuration,
    stalledInterval,
    // A row may lose any number of workers.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  // BullMQ repeats what a lost connection has interrupted, and another worker continues the rows of a lost one.
  worker.on('error', (error) => logMinor(gateway, `queue ${jobs.name}: worker`, error));
  let stopped = () => {};
  const run = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const stop = async () => {
    signal?.removeEventListener('abort', abort);
    await endOrOutage(worker.close(), () => rows.redis.ping());
    runner.stop();
    connections.forEach(disconnect);
    stopped();
  };
  let closing: Promise<void> | undefined;
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

/** How long a row rests after a step that could not be completed, in ms. */
const retryDelay = 2_000;

/** Another process has taken the row, or has removed it, so the step of this one comes too late. */
class RowTakenError extends Error {
  override readonly name = 'RowTakenError';
}

/** Takes rows from step to step. */
export class StepRunner {
  readonly #context: RunnerContext;
  readonly #admissions: Admissions;
  readonly #prices: RowPrices;

  constructor(context: RunnerContext) {
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
    const { jobs, gateway } = this.#context;
    const end = await this.#nextEnd(job).catch((error: unknown): JobEnd => {
      // That another process has the row is normal.
      if (!(error instanceof RowTakenError)) logFailedStep(gateway, job, retryDelay, error);
      return { kind: 'delay', delayMs: retryDelay };
    });
    // If this fails because the lock is lost, another worker has the job. If not, the lock expires, and any worker finds it.
    await prepareEnd(jobs, job, token, end).catch((error: unknown) =>
      logMinor(gateway, `row ${nameOf(job)}: its job could not be delayed`, error),
    );
    return resultOf(end);
  }

  async #nextEnd(job: Job<RowData>): Promise<JobEnd> {
    const { rows, gateway } = this.#context;
    const [row, redisTime] = await Promise.all([rows.readJob(String(job.id)), rows.now()]);
    if (row === undefined) return { kind: 'fail', reason: 'The job is not a row of polygate.' };
    const startedAt = performance.now();
    const clock = () => redisTime + performance.now() - startedAt;
    const due = { gateway, row, clock };
    const { status, data, state } = row;
    if (isEnded(status)) return jobEndOf(status, state);
    if (row.status === 'running') return this.#recordOnce(job, row, await poll({ ...due, row }));
    if (nextOf(row) === 'chat_lost') {
      return this.#recordOnce(job, row, afterLostChat(data.id, state));
    }
    return this.#submit(job, due);
  }

  /** Submits a row as soon as it is admitted. Returns it to the queue if that takes too long. */
  async #submit(job: Job<RowData>, due: DueRow): Promise<JobEnd> {
    const { row } = due;
    if (!(await this.#admissions.takePermit())) return jobEndAfterRefusal('full');
    try {
      const price = await this.#priceOf(row.data);
      if (price === 'no-key') return jobEndAfterRefusal('paused');
      const admission = await this.#admissions.admit(row, price);
      if (!admission.admitted) {
        if (admission.reason === 'gone') throw new RowTakenError();
        const isCharged = row.state.countedUsd !== undefined;
        if (!admission.problem || !isCharged) return jobEndAfterRefusal(admission.reason);
        return await this.#recordOnce(job, row, afterExceeded(row, admission.problem));
      }
      return await this.#send(job, due, admission.turn);
    } finally {
      this.#admissions.releasePermit();
    }
  }

  /** Sends a row that was admitted, unless the worker has been closed in the meantime. */
  async #send(job: Job<RowData>, due: DueRow, turn: string): Promise<JobEnd> {
    const { row } = due;
    const { rows, gateway, attempts, waitTimeout, maxUsd } = this.#context;
    const sent = { ...row, turn };
    const mayRetry = (charges: KeyCharges) =>
      withinTime(reserveRetry(rows, sent, charges, maxUsd)).catch(() => false);
    try {
      const step = this.#admissions.isStopped
        ? afterClose(row)
        : await submit({ ...due, attempts, waitTimeout, reserveRetry: mayRetry });
      return await this.#endJob(job, await recordSubmission(gateway, rows, sent, step));
    } finally {
      this.#admissions.release(row.jobId, turn);
    }
  }

  /** Records what a step has led to. If Redis fails here, another process repeats the step. */
  async #recordOnce(job: Job<RowData>, row: StoredRow, step: Step): Promise<JobEnd> {
    const isMoved = await this.#context.rows.move(row, step.move);
    return this.#endJob(job, isMoved ? step : undefined);
  }

  /** Decides how a job ends after a step that was recorded; undefined if it could not be. */
  async #endJob(job: Job<RowData>, step: Step | undefined): Promise<JobEnd> {
    if (!step) throw new RowTakenError();
    const { gateway } = this.#context;
    const { move } = step;
    const progress = move.to === 'succeeded' ? 100 : move.state.progress;
    if (progress !== undefined && progress !== job.progress) {
      await job
        .updateProgress(progress)
        .catch((error: unknown) => logMinor(gateway, `row ${nameOf(job)}: no progress`, error));
    }
    return jobEndAfter(step);
  }

  /**
   * What a row costs in USD, if there is a budget and the price is known. Without an API key to find out, pauses the
   * queue.
   */
  async #priceOf(data: RowData): Promise<RowPrice | 'no-key'> {
    const { maxUsd, state } = this.#context;
    if (maxUsd === undefined) return { usd: undefined };
    try {
      return await this.#prices.of(data);
    } catch (error) {
      if (!lacksKey(error)) throw error;
      await state.pause('authentication');
      return 'no-key';
    }
  }
}

/** Changes in Redis what BullMQ expects before the job ends. Without the lock of the job, this fails. */
async function prepareEnd(
  jobs: Queue<RowData>,
  job: Job<RowData>,
  token: string | undefined,
  end: JobEnd,
): Promise<void> {
  if (end.kind === 'return') await jobs.rateLimit(end.pauseMs);
  if (end.kind !== 'delay') return;
  const { delayMs, priority = job.priority } = end;
  if (priority < job.priority) await job.changePriority({ priority });
  // BullMQ compares this time with the clock of the process.
  await job.moveToDelayed(Date.now() + delayMs, token);
}

/** Ends a job: with its result, or with the error that BullMQ expects for any other end. */
function resultOf(end: JobEnd): { readonly taskId: string | undefined } {
  switch (end.kind) {
    case 'complete':
      return { taskId: end.taskId };
    case 'fail':
      throw new UnrecoverableError(end.reason);
    case 'delay':
      throw new DelayedError();
    case 'return':
      throw new RateLimitError();
  }
}
