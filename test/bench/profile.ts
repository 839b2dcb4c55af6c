import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Job } from './jobs.ts';
import { startClient, startServer } from './processes.ts';
import { readAllocations, readCpuProfile, summarize } from './profile-summary.ts';

// node test/bench/profile.ts <client> <job> [cpu|allocations|live]: prints by module and by function where a client
// spends its time, what it allocates, or what it allocated that is alive at the end.

const stream = { kind: 'stream', delivery: 'blocks', count: 1 } as const;
const interval = 2_000;
const park = { kind: 'park', tasks: 4_000, interval: 60_000 } as const;

const jobs: Readonly<Record<string, Job>> = {
  request: { kind: 'request', count: 10_000, parallel: 64 },
  sequence: { kind: 'request', count: 5_000, parallel: 1 },
  small: { ...stream, name: 'small' },
  events: { ...stream, name: 'small', delivery: 'events' },
  large: { ...stream, name: 'large' },
  first: { kind: 'first', count: 5_000 },
  few: { kind: 'wait', tasks: 1_000, interval },
  wait: { kind: 'wait', tasks: 10_000, interval },
  park: { ...park, submit: false },
  // The wait starts one interval after the submit.
  submit: { ...park, submit: true, interval: 4_000 },
};

const [name = 'polygate', jobName = 'request', mode = 'cpu'] = process.argv.slice(2);
const job = jobs[jobName];
if (job === undefined || !['cpu', 'allocations', 'live'].includes(mode)) {
  throw new Error(
    `Unknown job or mode. Jobs: ${Object.keys(jobs).join(', ')}. Modes: cpu, allocations, live.`,
  );
}

const directory = mkdtempSync(join(tmpdir(), 'profile-'));
// Read by sample-heap.ts.
process.env.HEAP_PROFILE = join(directory, 'heap.json');
process.env.HEAP_PROFILE_MODE = mode;
const server = await startServer();
const client = await startClient(
  name,
  server,
  mode === 'cpu'
    ? ['--expose-gc', '--cpu-prof', '--cpu-prof-dir', directory]
    : ['--expose-gc', '--import', './sample-heap.ts'],
);
await server.command({ tasksEndInMs: job.kind === 'park' ? 600_000 : 9_000 });
// Garbage is collected before each stream, as in the benchmark.
const turns = job.kind === 'stream' ? 40 : 1;
for (let turn = 0; turn < turns; turn += 1) await client.run(job);
if (job.kind === 'park') {
  while ((await server.command({})).polls < job.tasks) await client.run({ kind: 'heap' });
}
if (mode === 'live') {
  await server.command({ closeIdleSockets: true });
  await client.run({ kind: 'heap' });
}
await client.stop();
server.stop();

const [file = ''] = readdirSync(directory);
const profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
rmSync(directory, { recursive: true });
summarize(mode === 'cpu' ? readCpuProfile(profile) : readAllocations(profile));
