import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profiler } from 'node:inspector';

import type { Job } from './child.ts';
import { startClient, startServer } from './processes.ts';

// node test/bench/profile.ts <client> <job>: where a client spends its time, by function and by place.

const jobs: Readonly<Record<string, Job>> = {
  request: { do: 'request', count: 10_000, parallel: 64 },
  small: { do: 'stream', name: 'small', count: 400 },
  large: { do: 'stream', name: 'large', count: 800 },
  first: { do: 'first', count: 5_000 },
  wait: { do: 'wait', tasks: 10_000 },
};

const [name = 'polygate', what = 'request'] = process.argv.slice(2);
const job = jobs[what];
if (job === undefined) throw new Error(`one of ${Object.keys(jobs).join(', ')}`);

const directory = mkdtempSync(join(tmpdir(), 'profile-'));
const server = await startServer();
const client = await startClient(name, server, ['--cpu-prof', '--cpu-prof-dir', directory]);
await client.ask(job);
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
const byPlace = new Map<string, number>();
const byOwner = new Map<string, number>();
let total = 0;

profile.samples?.forEach((id, index) => {
  const node = nodes.get(id)!;
  const ms = (profile.timeDeltas?.[index] ?? 0) / 1_000;
  if (node.callFrame.functionName === '(idle)') return;
  total += ms;
  add(byFunction, nameOf(node), ms);
  add(byPlace, placeOf(node), ms);
  // The engine and Node work on behalf of the nearest function that is neither.
  let owner: Profiler.ProfileNode | undefined = node;
  while (owner !== undefined && !owner.callFrame.url.startsWith('file:')) {
    owner = parents.get(owner.id);
  }
  add(byOwner, owner === undefined ? 'nobody' : nameOf(owner), ms);
});

function placeOf({ callFrame: { url } }: Profiler.ProfileNode): string {
  return url === ''
    ? 'engine'
    : url
        .replace(/.*node_modules\//, '')
        .replace(/^file:.*\/(dist\/.*|clients\/.*|child\.ts)/, '$1');
}

function nameOf(node: Profiler.ProfileNode): string {
  const { functionName, lineNumber } = node.callFrame;
  return `${functionName || 'anonymous'} ${placeOf(node)}:${lineNumber + 1}`;
}

function add(sums: Map<string, number>, entry: string, ms: number): void {
  sums.set(entry, (sums.get(entry) ?? 0) + ms);
}

for (const [title, sums] of [
  ['By place', byPlace],
  ['By function', byFunction],
  ['By function, with what Node and the engine do for it', byOwner],
] as const) {
  console.log(`\n${title}`);
  const rows = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, 30);
  for (const [entry, ms] of rows) {
    console.log(`${((100 * ms) / total).toFixed(1).padStart(6)} %  ${entry}`);
  }
}
