import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { Queue, Worker } from 'bullmq';

import { GenerationQueue } from '../../dist/bullmq.js';
import { Polygate } from '../../dist/index.js';

// Adds or works on rows, or plain jobs, in a process of its own, and sends what it has measured. The service is a function
// in the same process that responds immediately, so that neither HTTP nor a server limits the rate.

/** Work of a process. */
export interface QueueJob {
  readonly task: 'add' | 'add-plain' | 'work' | 'work-plain';
  readonly name: string;
  readonly port: number;
  readonly rows: number;
  /** How long all tasks wait, in ms, before they end. */
  readonly holdMs: number;
}

/** What a process has measured. */
export type QueueMeasurement = Readonly<Record<string, number>>;

const concurrency = 50;
const job: QueueJob = JSON.parse(process.argv[2]!);
const connection = { host: '127.0.0.1', port: job.port };
const ids = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `row-${from + index}`);
const params = (id: string) => ({ model: 'prism-image', prompt: `A harbor at dawn, ${id}` });

const counters = { posts: 0, polls: 0 };
let areTasksDone = false;

async function respond(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const isPost = init?.method === 'POST' || (input instanceof Request && input.method === 'POST');
  const url = input instanceof Request ? input.url : String(input);
  if (isPost) counters.posts += 1;
  else counters.polls += 1;
  const id = isPost ? `task_${counters.posts}` : url.slice(url.lastIndexOf('/') + 1);
  const image = `https://files.example/${id}.png`;
  const body = {
    id,
    task_id: id,
    object: 'image.generation.job',
    status: areTasksDone ? 'succeeded' : 'processing',
    progress: areTasksDone ? '100%' : '45%',
    created_at: 1_780_000_000,
    model: 'prism-image',
    image_url: areTasksDone ? image : null,
    output: areTasksDone ? [image] : null,
  };
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    'x-svc-charge-usd': '0.02',
    'x-svc-concurrency-limit': '1000',
    'x-svc-concurrency-remaining': '900',
  };
  return new Response(JSON.stringify(body), { headers });
}

const gateway = new Polygate({
  apiKey: 'sk-bench',
  baseURL: 'http://127.0.0.1:1',
  fetch: respond,
  logLevel: 'off',
});

/** Waits until a counter has reached a number. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await sleep(5);
}

/** Measures the wall time in ms and the CPU time in µs of some work. */
async function measure(step: () => Promise<void>): Promise<{ ms: number; cpu: number }> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await step();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpu: user + system };
}

async function add(queue: GenerationQueue, rows: readonly string[]): Promise<void> {
  await queue.addBulk(rows, (id) => ({ id, submission: gateway.images.submission(params(id)) }));
}

async function measureWork(queue: GenerationQueue): Promise<QueueMeasurement> {
  const { rows, holdMs } = job;
  const worker = queue.work({ concurrency });
  const submitted = await measure(() => until(() => counters.posts >= rows));
  const pollsBefore = counters.polls;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const waited = await measure(() => sleep(holdMs));
  const polls = counters.polls - pollsBefore;
  // New rows while all tasks wait.
  const late = 100;
  await add(queue, ids(late, rows));
  const lateSubmitted = await measure(() => until(() => counters.posts >= rows + late));
  delay.disable();
  areTasksDone = true;
  const ended = await measure(async () => {
    while ((await queue.count()).succeeded < rows + late) await sleep(100);
  });
  await worker.close();
  return {
    submitMs: submitted.ms,
    submitCpu: submitted.cpu / rows,
    pollsPerSecond: polls / (waited.ms / 1_000),
    pollCpu: waited.cpu / polls,
    lateMs: lateSubmitted.ms,
    endMs: ended.ms,
    cpuPerRow: (submitted.cpu + waited.cpu + lateSubmitted.cpu + ended.cpu) / (rows + late),
    pollsPerRow: counters.polls / (rows + late),
    stallMax: delay.max / 1e6,
    stallP99: delay.percentile(99) / 1e6,
  };
}

async function workPlain(): Promise<QueueMeasurement> {
  let done = 0;
  const worker = new Worker(job.name, async () => void (done += 1), { connection, concurrency });
  const { ms, cpu } = await measure(() => until(() => done >= job.rows));
  await worker.close();
  return { submitMs: ms, submitCpu: cpu / job.rows };
}

async function run(): Promise<QueueMeasurement> {
  if (job.task === 'work-plain') return workPlain();
  if (job.task === 'add-plain') {
    const queue = new Queue(job.name, { connection });
    const all = ids(job.rows).map((id) => ({ name: 'image', data: params(id) }));
    const { ms, cpu } = await measure(async () => {
      for (let from = 0; from < all.length; from += 1_000) {
        await queue.addBulk(all.slice(from, from + 1_000));
      }
    });
    await queue.close();
    return { ms, cpu: cpu / job.rows };
  }
  const queue = new GenerationQueue(job.name, { gateway, connection });
  if (job.task === 'work') {
    const measured = await measureWork(queue);
    await queue.close();
    return measured;
  }
  const { ms, cpu } = await measure(() => add(queue, ids(job.rows)));
  await queue.close();
  return { ms, cpu: cpu / job.rows };
}

process.send!(await run());
process.disconnect();
if (process.connected) await once(process, 'disconnect');
process.exit();
