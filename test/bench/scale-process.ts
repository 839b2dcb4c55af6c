import { once } from 'node:events';

import { Redis } from 'ioredis';

import { GenerationQueue } from '../../dist/bullmq.js';
import { Polygate } from '../../dist/index.js';
import { nodeFetch } from '../../dist/node.js';
import { createProxyHandler } from '../../dist/proxy/index.js';
import { redisStore } from '../../dist/proxy/redis.js';
import { key as apiKey, messages } from './client.ts';
import { completion } from './responses.ts';
import type { Measured } from './scale-page.ts';

// Does one piece of work of `scale.ts` in a process of its own, and sends what it has measured.

/** Work of a process. `count` is a number of rows, users or requests. */
export type ScaleJob =
  | { task: 'add' | 'start' | 'count' | 'run'; count: number; port: number }
  | { task: 'forward'; count: number; parallel: number; port: number; base: string }
  | { task: 'wait-forwarding' | 'wait-chat'; count: number; port: number }
  | { task: 'send'; count: number; base: string; connections: number };

const job: ScaleJob = JSON.parse(process.argv[2]!);
const json = { 'content-type': 'application/json' };
const origin = 'http://127.0.0.1:1';
const chat = JSON.stringify({ model: 'bench', messages });

async function measure(step: () => unknown): Promise<{ ms: number; cpuMs: number }> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await step();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

/** A service in the same process, whose tasks end at the first poll. */
function serviceOf(onSubmit: () => void): typeof fetch {
  return async (input, init) => {
    const isPost = init?.method === 'POST';
    if (isPost) onSubmit();
    const id = isPost ? crypto.randomUUID() : new Request(input).url.split('/').at(-1);
    const image = isPost ? null : `https://files.example/${id}.png`;
    const status = isPost ? 'processing' : 'succeeded';
    const task = { id, task_id: id, object: 'image.generation.job', status, created_at: 1 };
    return new Response(JSON.stringify({ ...task, model: 'prism-image', image_url: image }), {
      headers: { ...json, 'x-svc-charge-usd': '0.02', 'x-svc-concurrency-limit': '1000' },
    });
  };
}

async function withQueue(
  port: number,
  use: (queue: GenerationQueue, gateway: Polygate) => Promise<Measured>,
  onSubmit: () => void = () => undefined,
): Promise<Measured> {
  const service = serviceOf(onSubmit);
  const gateway = new Polygate({ apiKey, baseURL: origin, fetch: service, logLevel: 'off' });
  const queue = new GenerationQueue('scale', { gateway, connection: { host: '127.0.0.1', port } });
  const measured = await use(queue, gateway);
  await queue.close();
  return measured;
}

/** Adds rows, and reports the time of the first and the last tenth, which differ if adding is not linear. */
function add(count: number, port: number): Promise<Measured> {
  return withQueue(port, async (queue, gateway) => {
    const marks: number[] = [];
    function* indexes() {
      for (let index = 0; index < count; index += 1) {
        if (index % Math.ceil(count / 10) === 0) marks.push(performance.now());
        yield index;
      }
    }
    const { ms, cpuMs } = await measure(() =>
      queue.addBulk(indexes(), (index) => ({
        id: `row-${index}`,
        submission: gateway.images.submission({ model: 'prism-image', prompt: `Harbor ${index}` }),
      })),
    );
    marks.push(performance.now());
    const part = (from: number) => (marks.at(from + 1) ?? Number.NaN) - (marks.at(from) ?? 0);
    const peakBytes = process.resourceUsage().maxRSS * 1_024;
    return { ms, cpuMs, firstTenthMs: part(0), lastTenthMs: part(-2), peakBytes };
  });
}

/** Starts a worker next to many waiting rows, and measures until it submits the first. */
function startWorker(port: number): Promise<Measured> {
  const submitted = new AbortController();
  return withQueue(
    port,
    async (queue) => {
      const { ms, cpuMs } = await measure(() => {
        queue.work({ concurrency: 50 });
        return once(submitted.signal, 'abort');
      });
      return { ms, cpuMs, peakBytes: process.resourceUsage().maxRSS * 1_024 };
    },
    () => submitted.abort(),
  );
}

function runRows(count: number, port: number): Promise<Measured> {
  return withQueue(port, async (queue) => {
    const before = (await queue.count()).succeeded;
    queue.work({ concurrency: 50 });
    const { ms, cpuMs } = await measure(async () => {
      let ended = 0;
      for await (const _ of queue.results({ from: 'start' })) {
        ended += 1;
        if (ended === before + count) return;
      }
    });
    return { ms, cpuMs };
  });
}

function proxyTo(baseURL: string, port: number, fetch?: typeof globalThis.fetch) {
  const redis = new Redis(port);
  const handler = createProxyHandler({
    apiKey,
    baseURL,
    authorize: ({ headers }) => headers.get('x-user'),
    limits: { usd: 1e6, requests: 1e9, concurrent: 1_000 },
    store: redisStore(redis),
    ...(fetch && { fetch }),
  });
  const send = async (user: number) => {
    const headers = { ...json, 'x-user': `user-${user}` };
    const url = 'https://app.example/api/gateway/v1/chat/completions';
    const response = await handler(new Request(url, { method: 'POST', headers, body: chat }));
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
  };
  return { send, close: () => redis.disconnect() };
}

/** Runs `parallel` loops until `count` requests were sent. */
async function lanes(count: number, parallel: number, send: (index: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    while (next < count) await send((next += 1));
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}

/** Memory of requests that wait for the service, all at the same time. */
async function hold(
  count: number,
  connect: (fetch: typeof globalThis.fetch) => {
    send: (index: number) => Promise<unknown>;
    close?: () => void;
  },
): Promise<Measured> {
  const release = new AbortController();
  const released = once(release.signal, 'abort');
  const allSent = new AbortController();
  let arrived = 0;
  const { send, close } = connect(async () => {
    arrived += 1;
    if (arrived === count) allSent.abort();
    await released;
    return new Response(completion, { headers: json });
  });
  globalThis.gc?.();
  const before = process.memoryUsage();
  const responses = Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const { ms, cpuMs } = await measure(() =>
    Promise.race([once(allSent.signal, 'abort'), responses]),
  );
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const bytes = heapUsed + external - before.heapUsed - before.external;
  release.abort();
  await responses;
  close?.();
  const peakBytes = process.resourceUsage().maxRSS * 1_024 - before.rss;
  return { ms, cpuMs, bytes, peakBytes };
}

/** Sends all requests at the same time through real sockets. */
async function sendAll(count: number, base: string, connections: number): Promise<Measured> {
  const fetch = connections > 0 ? nodeFetch({ connections }) : undefined;
  const gateway = new Polygate({ apiKey, baseURL: `${base}/json`, ...(fetch && { fetch }) });
  const send = () => gateway.chat.completions.create({ model: 'bench', messages });
  await lanes(1_000, 10, send);
  const rss = process.memoryUsage.rss();
  const { ms, cpuMs } = await measure(() => lanes(count, count, send));
  const peakBytes = process.resourceUsage().maxRSS * 1_024 - rss;
  return { ms, cpuMs, peakBytes };
}

async function run(): Promise<Measured> {
  switch (job.task) {
    case 'add':
      return add(job.count, job.port);
    case 'start':
      return startWorker(job.port);
    case 'count':
      return withQueue(job.port, async (queue) => measure(() => queue.count()));
    case 'run':
      return runRows(job.count, job.port);
    case 'forward': {
      const { send, close } = proxyTo(`${job.base}/json`, job.port);
      await lanes(job.parallel > 1 ? 2_000 : 0, job.parallel, (index) => send(index % 100));
      const measured = await measure(() => lanes(job.count, job.parallel, (index) => send(index)));
      close();
      return measured;
    }
    case 'wait-forwarding':
      return hold(job.count, (fetch) => proxyTo(origin, job.port, fetch));
    case 'wait-chat':
      return hold(job.count, (fetch) => {
        const gateway = new Polygate({ apiKey, baseURL: origin, fetch, concurrency: false });
        return { send: () => gateway.chat.completions.create({ model: 'bench', messages }) };
      });
    case 'send':
      return sendAll(job.count, job.base, job.connections);
  }
}

process.send!(await run());
process.disconnect();
if (process.connected) await once(process, 'disconnect');
process.exit();
