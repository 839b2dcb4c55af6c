import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Job } from './jobs.ts';
import { startClient, startServer } from './processes.ts';

// node test/bench/profile.ts <client> <job>: prints where a client spends its time, by module and by function.

const jobs: Readonly<Record<string, Job>> = {
  request: { kind: 'request', count: 10_000, parallel: 64 },
  small: { kind: 'stream', name: 'small', delivery: 'blocks', count: 40 },
  large: { kind: 'stream', name: 'large', delivery: 'blocks', count: 150 },
  first: { kind: 'first', count: 5_000 },
  wait: { kind: 'wait', tasks: 10_000, interval: 2_000 },
};

const [name = 'polygate', jobName = 'request'] = process.argv.slice(2);
const job = jobs[jobName];
if (job === undefined) throw new Error(`Unknown job. Use one of ${Object.keys(jobs).join(', ')}.`);

const directory = mkdtempSync(join(tmpdir(), 'profile-'));
const server = await startServer();
const client = await startClient(name, server, ['--cpu-prof', '--cpu-prof-dir', directory]);
await server.command({ tasksEndInMs: 7_000 });
await client.run(job);
await client.stop();
server.stop();

const [file = ''] = readdirSync(directory);
const profile: Profiler.Profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
rmSync(directory, { recursive: true });

const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const parents = new Map(
  profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)),
);
const byFunction = new Map<string, number>();
const byModule = new Map<string, number>();
const byCaller = new Map<string, number>();
let total = 0;

profile.samples?.forEach((id, index) => {
  const node = nodes.get(id)!;
  const ms = (profile.timeDeltas?.[index] ?? 0) / 1_000;
  if (node.callFrame.functionName === '(idle)') return;
  total += ms;
  add(byFunction, nameOf(node), ms);
  add(byModule, moduleOf(node), ms);
  // Time in the engine and in Node is attributed to the nearest caller outside them.
  let caller: Profiler.ProfileNode | undefined = node;
  while (caller !== undefined && !caller.callFrame.url.startsWith('file:')) {
    caller = parents.get(caller.id);
  }
  add(byCaller, caller === undefined ? 'none' : nameOf(caller), ms);
});

function moduleOf({ callFrame: { url } }: Profiler.ProfileNode): string {
  return url === ''
    ? 'engine'
    : url
        .replace(/.*node_modules\//, '')
        .replace(/^file:.*\/(dist\/.*|clients\/.*|client-process\.ts)/, '$1');
}

function nameOf(node: Profiler.ProfileNode): string {
  const { functionName, lineNumber } = node.callFrame;
  return `${functionName || 'anonymous'} ${moduleOf(node)}:${lineNumber + 1}`;
}

function add(sums: Map<string, number>, entry: string, ms: number): void {
  sums.set(entry, (sums.get(entry) ?? 0) + ms);
}

for (const [title, sums] of [
  ['By module', byModule],
  ['By function', byFunction],
  ['By function, including time in Node and the engine', byCaller],
] as const) {
  console.log(`\n${title}`);
  const rows = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, 30);
  for (const [entry, ms] of rows) {
    console.log(`${((100 * ms) / total).toFixed(1).padStart(6)}%  ${entry}`);
  }
}
