/**
 * Works on rows until it is stopped. Run it on as many machines as you like. SIGTERM and Ctrl-C let the steps that are in
 * progress finish; whatever is left is continued by other workers.
 */
import { openQueue } from './queue.ts';

const { queue } = openQueue();
queue.work({ concurrency: 20 });

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void queue.close());
}
