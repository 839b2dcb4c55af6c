/**
 * Generates 60 images with two worker processes, kills one of them with SIGKILL on the way, starts another one, and prints
 * the invoice at the end: one charge per row. Starts a Redis server if REDIS_URL is not set, and a reference gateway if
 * POLYGATE_BASE_URL is not set.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

import { startRedis } from '../support/redis.ts';
import { openQueue } from './queue.ts';
import { showProgress } from './screen.ts';
import { watch } from './watcher.ts';
import { Workers } from './workers.ts';

const stopRedis = await startRedis();
const mock = createMockGateway({ tasks: { durationMs: 3_000 }, latencyMs: 300 });
const server = await listen(mock);
const isMock = !process.env['POLYGATE_BASE_URL'];
const own = { POLYGATE_BASE_URL: server.baseURL, POLYGATE_API_KEY: mock.apiKey };
if (isMock) Object.assign(process.env, own);

const { queue } = openQueue();
const screen = showProgress();
const workers = new Workers();
process.once('SIGINT', () => (process.exitCode = 130));

await once(fork(new URL('producer.ts', import.meta.url)), 'exit');
screen.log('the producer has added its rows');
workers.start();
workers.start();
screen.log('workers 1 and 2 are started');
let succeeded = 0;
for await (const progress of watch(queue)) {
  screen.show(progress);
  if (process.exitCode === 130) break;
  const { waiting, submitting } = progress.counts;
  ({ succeeded } = progress.counts);
  if (waiting < 40 && submitting > 0 && workers.count === 2) {
    workers.killFirst();
    workers.start();
    screen.log(`worker 1 is killed while ${submitting} rows are being submitted; 3 is started`);
  }
}
screen.stop();

await workers.stop();
await queue.close();
if (isMock) {
  const { invoice } = mock;
  const usd = invoice.reduce((total, line) => total + line.usd, 0);
  console.log(
    `${succeeded} rows succeeded: ${invoice.length} charges, $${usd.toFixed(2)} in total`,
  );
}
await server.close();
await stopRedis();
