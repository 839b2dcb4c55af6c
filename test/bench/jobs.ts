import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from './client.ts';
import { completionText, streams } from './responses.ts';
import type { Delivery, StreamName } from './responses.ts';
import { median } from './stats.ts';

/** A job that a client process can run. Every job checks its results. */
export type Job =
  | { kind: 'request'; count: number; parallel: number }
  | { kind: 'stream'; name: StreamName; delivery: Delivery; count: number }
  | { kind: 'first'; count: number }
  /** Waits for tasks in parallel. */
  | { kind: 'wait'; tasks: number; interval: number }
  /** Starts to wait, without waiting for the result, for existing tasks or for tasks it submits. */
  | { kind: 'park'; tasks: number; interval: number; submit: boolean }
  /** Collects garbage and measures the heap. Requires `--expose-gc`. */
  | { kind: 'heap' };

/** What a job measures in addition to CPU time. */
export interface JobResult {
  /** Wall time in ms: the median until the first text of a stream, or the total of a wait. */
  wall?: number;
  /** Peak resident set size minus the resident set size before the job, in KiB. */
  memory?: number;
  /** Longest time in ms for which the event loop was blocked. */
  stall?: number;
  /** Bytes in use on the heap. */
  heap?: number;
}

function assertEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`);
}

/** Returns a function that runs jobs with one client. */
export function createRunner(client: Client, base: string): (job: Job) => Promise<JobResult> {
  const request = client.request?.(base);
  const streamers = new Map<string, ReturnType<NonNullable<Client['stream']>>>();
  let taskCount = 0;

  async function runRequests(count: number, parallel: number): Promise<void> {
    let remaining = count;
    const worker = async () => {
      while (remaining-- > 0) assertEqual(await request!(), completionText);
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  }

  /** Reads a stream and returns the time until its first text. */
  async function readStream(name: StreamName, delivery: Delivery): Promise<number> {
    const path = `${name}-${delivery}`;
    const run = streamers.get(path) ?? client.stream!(`${base}/${path}`);
    streamers.set(path, run);
    const { chunks, length } = streams[name];
    let texts = 0;
    let total = 0;
    let first = 0;
    const start = performance.now();
    await run((text) => {
      if (texts === 0) first = performance.now() - start;
      texts += 1;
      total += text.length;
    });
    assertEqual(texts, chunks);
    assertEqual(total, chunks * length);
    return first;
  }

  async function waitForTasks(tasks: number, interval: number): Promise<void> {
    const wait = client.wait!(base, interval);
    const ids = Array.from({ length: tasks }, () => `task_${(taskCount += 1)}`);
    await Promise.all(
      ids.map(async (id) => assertEqual(await wait(id), `https://files.example/${id}.png`)),
    );
  }

  function park(tasks: number, interval: number, submit: boolean): void {
    const wait = submit ? client.submit!(base, interval) : client.wait!(base, interval);
    for (let index = 0; index < tasks; index += 1) void wait(`task_${(taskCount += 1)}`);
  }

  return async (job) => {
    switch (job.kind) {
      case 'request':
        await runRequests(job.count, job.parallel);
        return {};
      case 'stream':
        for (let index = 0; index < job.count; index += 1) {
          await readStream(job.name, job.delivery);
        }
        return {};
      case 'first': {
        const times: number[] = [];
        for (let index = 0; index < job.count; index += 1) {
          times.push(await readStream('first', 'blocks'));
        }
        return { wall: median(times) };
      }
      case 'wait': {
        const before = process.memoryUsage.rss() / 1_024;
        const start = performance.now();
        const delays = monitorEventLoopDelay({ resolution: 5 });
        delays.enable();
        await waitForTasks(job.tasks, job.interval);
        delays.disable();
        return {
          wall: performance.now() - start,
          memory: process.resourceUsage().maxRSS - before,
          stall: delays.max / 1e6,
        };
      }
      case 'park':
        park(job.tasks, job.interval, job.submit);
        return {};
      case 'heap':
        // Finalizers run some time after a collection, and release further objects.
        for (let index = 0; index < 4; index += 1) {
          globalThis.gc?.();
          await sleep(100);
        }
        return { heap: process.memoryUsage().heapUsed };
    }
  };
}
