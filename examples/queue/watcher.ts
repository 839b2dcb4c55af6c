/** Shows the progress of the queue until all rows have ended. Run it anywhere, as often as you like. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { GenerationQueue } from 'polygate/bullmq';

import { openQueue } from './queue.ts';
import { showProgress } from './screen.ts';
import type { Progress } from './screen.ts';

/** Yields the progress every quarter of a second, until all rows have ended. */
export async function* watch(queue: GenerationQueue): AsyncGenerator<Progress> {
  const startedAt = performance.now();
  const charges = new Map<string, number>();
  void (async () => {
    // Ends when the queue is closed.
    for await (const { id, receipt } of queue.results({ from: 'start' })) {
      charges.set(id, receipt?.chargeUsd ?? 0);
    }
  })();
  let endedBefore: number | undefined;
  for (;;) {
    const counts = await queue.count();
    const ended = counts.succeeded + counts.failed + counts.unknown;
    const total = ended + counts.waiting + counts.submitting + counts.running;
    endedBefore ??= ended;
    const minutes = (performance.now() - startedAt) / 60_000;
    const usd = [...charges.values()].reduce((sum, charge) => sum + charge, 0);
    const isComplete = ended === total;
    // The last results may not have been read yet.
    if (!isComplete || charges.size >= total) {
      yield { counts, ended, total, usd, rowsPerMinute: (ended - endedBefore) / minutes };
      if (isComplete) return;
    }
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
