import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

import type { Redis } from 'ioredis';

import { startServer } from './processes.ts';
import type { Server } from './processes.ts';
import { startRedis } from './redis.ts';
import { scalePage } from './scale-page.ts';
import type { Measured, Operations, ScaleReport } from './scale-page.ts';
import type { ScaleJob } from './scale-process.ts';

// node test/bench/scale.ts [<rows> | --docs]: measures what many rows, users and requests cost, with at most so many rows, and
// writes docs/scale.md, or only writes it from the data file. With 1,000,000 rows, Redis needs 1.5 GB of memory.

const root = new URL('../../', import.meta.url);
const data = new URL('docs/benchmarks/scale.json', root);
const [argument = '1000000'] = process.argv.slice(2);
const largest = Number(argument);

/** Writes the page from the data file. */
function writePage(): void {
  const report: ScaleReport = JSON.parse(readFileSync(data, 'utf8'));
  writeFileSync(new URL('docs/scale.md', root), scalePage(report));
  execFileSync('npx', ['oxfmt', 'docs/scale.md', 'docs/benchmarks/scale.json'], { cwd: root });
}

if (argument === '--docs') {
  writePage();
  process.exit();
}

async function run(job: ScaleJob): Promise<Measured> {
  const child = fork(new URL('scale-process.ts', import.meta.url), [JSON.stringify(job)], {
    execArgv: ['--expose-gc', '--max-old-space-size=8192'],
  });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${JSON.stringify(job)}: the process has exited`);
  });
  const [measured] = await Promise.race([once(child, 'message'), failed]);
  await failed.catch(() => undefined);
  console.log(JSON.stringify(job), JSON.stringify(measured));
  return measured;
}

/** Counts, with MONITOR, what Redis does during some work. */
async function countOperations(
  redis: Redis,
  units: number,
  work: () => Promise<unknown>,
): Promise<Operations> {
  const monitor = await redis.monitor();
  let requests = 0;
  let commands = 0;
  monitor.on('monitor', (_: string, [name = '']: string[], source: string) => {
    if (/^(info|client|monitor|hello|select)$/i.test(name)) return;
    commands += 1;
    if (source.includes('lua')) return;
    requests += 1;
  });
  await work();
  await new Promise((resolve) => setTimeout(resolve, 500));
  monitor.disconnect();
  return { requests: requests / units, commands: commands / units };
}

const memoryOf = async (redis: Redis) =>
  Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

/** CPU time of Redis since its start, in ms. */
async function redisCpuMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = ['user', 'sys'].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1]),
  );
  return 1_000 * seconds.reduce((sum, value) => sum + value, 0);
}

/** Adds rows, starts a worker next to them, adds them again, and restarts Redis with them. */
async function waitingRows(count: number): Promise<Measured> {
  await using started = await startRedis(['--appendonly', 'yes']);
  const { port, redis } = started;
  const empty = await memoryOf(redis);
  const added = await run({ task: 'add', count, port });
  const bytes = (await memoryOf(redis)) - empty;
  const addRedisCpuMs = await redisCpuMs(redis);
  const again = await run({ task: 'add', count, port });
  const counted = await run({ task: 'count', count, port });
  const worker = await run({ task: 'start', count, port });
  const redisRestartMs = await started.restart();
  const redisRestartCpuMs = await redisCpuMs(redis);
  const afterRestart = await run({ task: 'start', count, port });
  return {
    rows: count,
    addMs: added.ms!,
    addCpuMs: added.cpuMs!,
    addRedisCpuMs,
    addFirstTenthMs: added.firstTenthMs!,
    addLastTenthMs: added.lastTenthMs!,
    addPeakBytes: added.peakBytes!,
    bytesPerRow: bytes / count,
    addAgainMs: again.ms!,
    addAgainCpuMs: again.cpuMs!,
    countMs: counted.ms!,
    workerStartMs: worker.ms!,
    workerStartCpuMs: worker.cpuMs!,
    workerPeakBytes: worker.peakBytes!,
    redisRestartMs,
    redisRestartCpuMs,
    workerStartAfterRestartMs: afterRestart.ms!,
  };
}

/** Operations of Redis per row: adding it, and from its submission to its result, which `results()` reads. */
async function rowOperations(count: number) {
  await using started = await startRedis();
  const { port, redis } = started;
  const add = await countOperations(redis, count, () => run({ task: 'add', count, port }));
  const work = await countOperations(redis, count, () => run({ task: 'run', count, port }));
  return { add, work };
}

/** What a row costs in its worker and in Redis, in ms of CPU time, from its submission to its result. */
async function rowCost(count: number): Promise<Measured> {
  await using started = await startRedis();
  const { port, redis } = started;
  await run({ task: 'add', count, port });
  const before = await redisCpuMs(redis);
  const { ms, cpuMs } = await run({ task: 'run', count, port });
  const redisMs = (await redisCpuMs(redis)) - before;
  return {
    rowsPerSecond: count / (ms! / 1_000),
    cpuMsPerRow: cpuMs! / count,
    redisCpuMsPerRow: redisMs / count,
  };
}

/** What a forwarded request with `limits` costs in the proxy and in Redis, and what Redis keeps per user. */
async function proxyCost(base: string) {
  await using started = await startRedis();
  const { port, redis } = started;
  const count = 1_000;
  const operations = await countOperations(redis, 200, () =>
    run({ task: 'forward', count: 200, parallel: 1, port, base }),
  );
  const before = await redisCpuMs(redis);
  const { ms, cpuMs } = await run({ task: 'forward', count, parallel: 64, port, base });
  const redisMs = (await redisCpuMs(redis)) - before;
  const empty = await memoryOf(redis);
  const users = 2_500;
  await run({ task: 'forward', count: users, parallel: 64, port, base });
  const cost = {
    requestsPerSecond: count / (ms! / 1_000),
    cpuMsPerRequest: cpuMs! / count,
    redisCpuMsPerRequest: redisMs / count,
    redisBytesPerUser: ((await memoryOf(redis)) - empty) / (users - count),
  };
  return { operations, cost };
}

/** What users need who all wait for one chat. Memory per request is that of the largest number that is measured. */
async function usersAt(base: Server): Promise<ScaleReport['users']> {
  await using started = await startRedis();
  const { port } = started;
  const inFlight = { chat: 10_000, forwarding: 1_000 };
  const chat = await run({ task: 'wait-chat', count: inFlight.chat, port });
  const forwarding = await run({ task: 'wait-forwarding', count: inFlight.forwarding, port });
  const sockets: Record<string, Record<string, number>> = {};
  for (const count of [10, 1_000]) {
    for (const connections of [0, 64]) {
      await base.command({ tasksEndInMs: 0, closeIdleSockets: true });
      await run({ task: 'send', count, base: base.base, connections });
      const { peakSockets } = await base.command({ closeIdleSockets: true });
      (sockets[count] ??= {})[connections === 0 ? 'fetch' : 'nodeFetch'] = peakSockets;
    }
  }
  return {
    sockets,
    inFlight,
    bytesPerChat: chat.bytes! / inFlight.chat,
    bytesPerForwarding: forwarding.bytes! / inFlight.forwarding,
  };
}

const server = await startServer();
const rows: Measured[] = [];
for (const count of [largest / 100, largest / 10, largest]) rows.push(await waitingRows(count));
const report: ScaleReport = {
  cores: availableParallelism(),
  node: process.versions.node,
  date: new Date().toISOString().slice(0, 10),
  users: await usersAt(server),
  queue: { ...(await rowOperations(200)), cost: await rowCost(1_500) },
  proxy: await proxyCost(server.base),
  waiting: rows,
  load: loadavg()[1] ?? Number.NaN,
};
server.stop();
writeFileSync(data, JSON.stringify(report, undefined, 2));
writePage();
