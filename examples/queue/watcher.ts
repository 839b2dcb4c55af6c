/** Shows the progress of the queue until all rows have ended. Run it anywhere, as often as you like. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { GenerationQueue, RowCounts } from 'polygate/bullmq';

import { openQueue } from './queue.ts';
import { showProgress } from './screen.ts';

/** The state of a queue. */
export interface Progress {
  counts: RowCounts;
  /** Number of rows that have ended. */
  ended: number;
  total: number;
  /** What the rows that have ended were charged, in USD. */
  usd: number;
  rowsPerMinute: number;
}

/** Yields the progress every quarter of a second, until all rows have ended. */
export async function* watch(queue: GenerationQueue): AsyncGenerator<Progress> {
  const startedAt = performance.now();
  let usd = 0;
  void (async () => {
    // Ends when the queue is closed.
    for await (const { receipt } of queue.results({ from: 'start' }))
      usd += receipt?.chargeUsd ?? 0;
  })();
  let endedBefore: number | undefined;
  for (;;) {
    const counts = await queue.count();
    const ended = counts.succeeded + counts.failed + counts.unknown;
    const total = ended + counts.waiting + counts.submitting + counts.running;
    endedBefore ??= ended;
    const minutes = (performance.now() - startedAt) / 60_000;
    const rowsPerMinute = minutes > 0 ? (ended - endedBefore) / minutes : 0;
    yield { counts, ended, total, usd, rowsPerMinute };
    if (ended === total) return;
    await sleep(250);
  }
}

if (import.meta.main) {
  const { queue } = openQueue();
  const screen = showProgress();
  let isInterrupted = false;
  process.once('SIGINT', () => (isInterrupted = true));
  for await (const progress of watch(queue)) {
    screen.show(progress);
    if (isInterrupted) break;
  }
  screen.stop();
  await queue.close();
}
