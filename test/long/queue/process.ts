/**
 * A process that works on a queue, or that takes its results and reports each of them to its parent. It can kill itself
 * before it sends its nth submission, or after the service has accepted it.
 */
import { Polygate } from 'polygate';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import type { ProcessSettings } from './settings.ts';

const settings: ProcessSettings = JSON.parse(process.argv[2] ?? '');
const { role, name, worker, apiKey, baseURL, redis, kill, concurrency, maxUsd } = settings;

let posts = 0;
const gateway = new Polygate({
  apiKey,
  baseURL,
  headers: { 'x-worker': worker },
  logLevel: 'off',
  fetch: async (input, init) => {
    const isPost = init?.method === 'POST' || (input instanceof Request && input.method === 'POST');
    if (!isPost) return fetch(input, init);
    posts += 1;
    // A rejected submission is no acceptance: the process then dies at a later one.
    const isLast = kill !== undefined && posts >= kill.post;
    if (isLast && kill.at === 'before') process.kill(process.pid, 'SIGKILL');
    const response = await fetch(input, init);
    if (isLast && response.ok) process.kill(process.pid, 'SIGKILL');
    return response;
  },
});
const queue = new GenerationQueue(name, { gateway, connection: { url: redis }, maxUsd });
const report = (message: object) => process.send?.(message);
process.on('disconnect', () => process.exit());

if (role === 'work') {
  queue.work({ concurrency });
  report({ ready: true });
} else {
  const results = queue.results();
  // Asks for the first row before it reports that it listens.
  let next = results.next();
  setTimeout(() => report({ ready: true }), 1_000);
  for (;;) {
    const { value, done } = await next;
    if (done) break;
    report({ id: value.id, status: value.status, at: new Date(), task: value.receipt?.id });
    next = results.next();
  }
}
