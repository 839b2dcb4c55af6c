import { Worker } from 'bullmq';

import { disconnect, reconnecting, trackDuplicates, withinTime } from '../redis/connection.ts';
import type { RowData } from '../row.ts';
import { StepRunner } from './step-runner.ts';
import type { RunnerContext } from './step-runner.ts';
import { logMinor } from './steps.ts';

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
