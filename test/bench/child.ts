import { answerText, streams } from './answers.ts';
import type { StreamName } from './answers.ts';
import type { Client } from './client.ts';
import { median } from './stats.ts';

// One client in a process of its own: does the work that it is asked for, checks the results, tells what it took.

/** What a child can be asked to do. */
export type Job =
  | { do: 'request'; count: number; parallel: number }
  | { do: 'stream'; name: StreamName; count: number }
  | { do: 'first'; count: number }
  | { do: 'wait'; tasks: number };

/** What a child has measured; CPU is user and system, µs. */
export interface Measured {
  cpu: number;
  /** Median, µs; of the first text only. */
  wall?: number;
  /** KB over what the process took before. */
  memory?: number;
  error?: string;
}

const [name, base] = process.argv.slice(2);
const { client }: { client: Client } = await import(`./clients/${name}.ts`);
const streamers = new Map<string, ReturnType<NonNullable<Client['stream']>>>();
const request = client.request?.(base!);
const wait = client.wait?.(base!);

function expect(what: unknown, wanted: unknown): void {
  if (what !== wanted) throw new Error(`${name}: ${String(what)} came, not ${String(wanted)}`);
}

async function requests(count: number, parallel: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) expect(await request!(), answerText);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function stream(which: StreamName): Promise<number> {
  const run = streamers.get(which) ?? client.stream!(`${base}/${which}`);
  streamers.set(which, run);
  const { chunks, length } = streams[which];
  let texts = 0;
  let total = 0;
  let first = 0;
  const start = performance.now();
  await run((text) => {
    if (texts === 0) first = performance.now() - start;
    texts += 1;
    total += text.length;
  });
  expect(texts, chunks);
  expect(total, chunks * length);
  return first * 1_000;
}

let waited = 0;

async function waits(tasks: number): Promise<void> {
  const ids = Array.from({ length: tasks }, () => `task_${(waited += 1)}`);
  await Promise.all(
    ids.map(async (id) => expect(await wait!(id), `https://files.example/${id}.png`)),
  );
}

async function work(job: Job): Promise<Partial<Measured>> {
  switch (job.do) {
    case 'request':
      await requests(job.count, job.parallel);
      return {};
    case 'stream':
      for (let index = 0; index < job.count; index += 1) await stream(job.name);
      return {};
    case 'first': {
      const times: number[] = [];
      for (let index = 0; index < job.count; index += 1) times.push(await stream('first'));
      return { wall: median(times) };
    }
    case 'wait': {
      const before = process.memoryUsage.rss() / 1_024;
      await waits(job.tasks);
      return { memory: process.resourceUsage().maxRSS - before };
    }
  }
}

async function answer(job: Job): Promise<void> {
  const before = process.cpuUsage();
  try {
    const more = await work(job);
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpu: user + system, ...more });
  } catch (error) {
    process.send?.({ cpu: 0, error: String(error) });
  }
}

process.on('message', (job: Job) => void answer(job));
process.on('disconnect', () => process.exit());
process.send?.('ready');
