import { fork } from 'node:child_process';
import { once } from 'node:events';

import type { QueueJob, QueueMeasurement } from '../queue-process.ts';
import { startRedis } from '../redis.ts';
import type { QueueRow } from '../row.ts';
import { interleave, median } from '../stats.ts';

const added = 100_000;
const waiting = 10_000;
const holdMs = 15_000;
const rounds = 2;

/** What a queue costs in Redis and in its worker, next to BullMQ alone with as many jobs that do nothing. */
export async function queueRows(): Promise<QueueRow[]> {
  await using redis = await startQueues();
  const { memory, run } = redis;
  const empty = await memory();
  const addPlain = await run({ task: 'add-plain', name: 'plain', rows: added });
  const plainBytes = ((await memory()) - empty) / added;
  await redis.clear();
  const add = await run({ task: 'add', name: 'rows', rows: added });
  const bytes = ((await memory()) - empty) / added;

  const plainRuns: QueueMeasurement[] = [];
  const runs: QueueMeasurement[] = [];
  let endedBytes = 0;
  await interleave(['plain', 'rows'], rounds, async (name) => {
    await redis.clear();
    const before = await memory();
    if (name === 'plain') {
      await run({ task: 'add-plain', name, rows: waiting });
      plainRuns.push(await run({ task: 'work-plain', name, rows: waiting }));
    } else {
      await run({ task: 'add', name, rows: waiting });
      runs.push(await run({ task: 'work', name, rows: waiting }));
      endedBytes = ((await memory()) - before) / waiting;
    }
    return undefined;
  });
  const plainOf = (name: string) => median(plainRuns.map((values) => values[name]!));
  const valueOf = (name: string) => median(runs.map((values) => values[name]!));
  const perSecond = (rows: number, ms: number) => rows / (ms / 1_000);
  return [
    {
      id: 'queue-add',
      title: 'Adding 100,000 rows, rows per second',
      values: { plain: perSecond(added, addPlain.ms!), rows: perSecond(added, add.ms!) },
    },
    {
      id: 'queue-add-cpu',
      title: 'CPU per added row, µs',
      values: { plain: addPlain.cpu!, rows: add.cpu! },
    },
    {
      id: 'queue-memory',
      title: 'Redis memory per added row, bytes',
      values: { plain: plainBytes, rows: bytes },
    },
    {
      id: 'queue-memory-ended',
      title: 'Redis memory per ended row with its result, bytes',
      values: { rows: endedBytes },
    },
    {
      id: 'queue-submit',
      title: 'Submitting 10,000 rows, rows per second',
      values: {
        plain: perSecond(waiting, plainOf('submitMs')),
        rows: perSecond(waiting, valueOf('submitMs')),
      },
    },
    {
      id: 'queue-submit-cpu',
      title: 'CPU per submitted row, with the polls meanwhile, µs',
      values: { plain: plainOf('submitCpu'), rows: valueOf('submitCpu') },
    },
    {
      id: 'queue-polls',
      title: '10,000 waiting tasks: polls per second',
      values: { rows: valueOf('pollsPerSecond') },
    },
    {
      id: 'queue-poll-cpu',
      title: '10,000 waiting tasks: CPU per poll, µs',
      values: { rows: valueOf('pollCpu') },
    },
    {
      id: 'queue-late',
      title: '10,000 waiting tasks: time to submit 100 new rows, ms',
      values: { rows: valueOf('lateMs') },
    },
    {
      id: 'queue-stall',
      title: '10,000 waiting tasks: longest stall of the event loop, ms',
      values: { rows: valueOf('stallMax') },
    },
    {
      id: 'queue-stall-p99',
      title: '10,000 waiting tasks: 99th percentile of event loop delays, ms',
      values: { rows: valueOf('stallP99') },
    },
    {
      id: 'queue-end',
      title: '10,000 waiting tasks: time until all have ended, ms',
      values: { rows: valueOf('endMs') },
    },
    {
      id: 'queue-cpu',
      title: `CPU per row from start to end, with ${valueOf('pollsPerRow').toFixed(1)} polls, µs`,
      values: { rows: valueOf('cpuPerRow') },
    },
  ];
}

/** A Redis, and processes that work with it. */
async function startQueues() {
  const started = await startRedis();
  const { port, redis } = started;
  return {
    clear: () => redis.flushall(),
    memory: async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]),
    /** Runs a job in a process of its own. */
    run: async (job: Omit<QueueJob, 'port' | 'holdMs'>): Promise<QueueMeasurement> => {
      const args = [JSON.stringify({ ...job, port, holdMs })];
      const child = fork(new URL('../queue-process.ts', import.meta.url), args);
      const failed = once(child, 'exit').then(() => {
        throw new Error(`${job.task}: the process has exited`);
      });
      const [measurement] = await Promise.race([once(child, 'message'), failed]);
      await failed.catch(() => undefined);
      return measurement;
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
