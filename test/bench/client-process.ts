import type { Client } from './client.ts';
import { completionText, streams } from './responses.ts';
import type { StreamName } from './responses.ts';
import { median } from './stats.ts';

// Runs one client in its own process: performs the requested jobs, checks the results and reports measurements.

/** A job that the process can run. */
export type Job =
  | { kind: 'request'; count: number; parallel: number }
  | { kind: 'stream'; name: StreamName; count: number }
  | { kind: 'first'; count: number }
  | { kind: 'wait'; tasks: number };

/** The measurements of a job. */
export interface Measurement {
  /** User and system CPU time in µs. */
  cpu: number;
  /** Median wall time until the first text, in µs. */
  wall?: number;
  /** Peak resident set size minus the resident set size before the job, in KiB. */
  memory?: number;
  error?: string;
}

const [name, base] = process.argv.slice(2);
const { client }: { client: Client } = await import(`./clients/${name}.ts`);
const streamers = new Map<string, ReturnType<NonNullable<Client['stream']>>>();
const request = client.request?.(base!);
const wait = client.wait?.(base!);

function assertEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) {
    throw new Error(`${name}: expected ${String(expected)}, got ${String(actual)}`);
  }
}

async function runRequests(count: number, parallel: number): Promise<void> {
  let remaining = count;
  const worker = async () => {
    while (remaining-- > 0) assertEqual(await request!(), completionText);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function runStream(streamName: StreamName): Promise<number> {
  const run = streamers.get(streamName) ?? client.stream!(`${base}/${streamName}`);
  streamers.set(streamName, run);
  const { chunks, length } = streams[streamName];
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
  return first * 1_000;
}

let taskCount = 0;

async function waitForTasks(tasks: number): Promise<void> {
  const ids = Array.from({ length: tasks }, () => `task_${(taskCount += 1)}`);
  await Promise.all(
    ids.map(async (id) => assertEqual(await wait!(id), `https://files.example/${id}.png`)),
  );
}

async function runJob(job: Job): Promise<Partial<Measurement>> {
  switch (job.kind) {
    case 'request':
      await runRequests(job.count, job.parallel);
      return {};
    case 'stream':
      for (let index = 0; index < job.count; index += 1) await runStream(job.name);
      return {};
    case 'first': {
      const times: number[] = [];
      for (let index = 0; index < job.count; index += 1) times.push(await runStream('first'));
      return { wall: median(times) };
    }
    case 'wait': {
      const before = process.memoryUsage.rss() / 1_024;
      await waitForTasks(job.tasks);
      return { memory: process.resourceUsage().maxRSS - before };
    }
  }
}

async function handleJob(job: Job): Promise<void> {
  const before = process.cpuUsage();
  try {
    const measurement = await runJob(job);
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpu: user + system, ...measurement });
  } catch (error) {
    process.send?.({ cpu: 0, error: String(error) });
  }
}

process.on('message', (job: Job) => void handleJob(job));
process.on('disconnect', () => process.exit());
process.send?.('ready');
