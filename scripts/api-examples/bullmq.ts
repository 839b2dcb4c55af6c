/** Examples of the API reference for `polygate/bullmq`. */
import type { Polygate } from 'polygate';
import { GenerationQueue } from 'polygate/bullmq';
import type { RowInput } from 'polygate/bullmq';

declare const gateway: Polygate;
declare const queue: GenerationQueue;

// For GenerationQueue, GenerationQueueOptions
export function open() {
  return new GenerationQueue('images', {
    gateway,
    connection: { url: 'redis://localhost:6379' },
    attempts: 3,
  });
}

// For RowInput, RowKind
export async function add() {
  const row: RowInput = {
    id: 'harbor',
    submission: gateway.images.submission({ model: 'prism-image', prompt: 'A harbor' }),
  };
  await queue.add(row.id, row.submission);
}

// For QueueWorker, WorkOptions
export async function work() {
  const worker = queue.work({ concurrency: 10 });
  process.once('SIGTERM', () => void worker.close());
  await worker.run;
}

// For ResultsOptions, EndedRow, EndStatus
export async function collect() {
  for await (const row of queue.results({ from: 'start' }))
    console.log(row.id, row.status, row.generation?.urls[0]);
}

// For Row, RowError, RowStatus
export async function show() {
  const row = await queue.get('harbor');
  console.log(row?.status, row?.error?.message, row?.error?.outcome);
}

// For RetryOptions
export async function retry() {
  await queue.retry('harbor', { anew: true });
}

// For RowCounts, PauseReason
export async function monitor() {
  const { waiting, running } = await queue.count();
  console.log(waiting, running, queue.paused);
}
