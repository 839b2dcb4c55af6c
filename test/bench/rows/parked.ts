import { setTimeout as sleep } from 'node:timers/promises';

import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';

const tasks = 4_000;
/** Long enough to measure between two polls. */
const interval = 8_000;

/** Bytes of heap per task while every task has been polled once and no poll is in flight. */
async function heapPerTask(server: Server, name: string, submit: boolean): Promise<number> {
  const client = await startClient(name, server, ['--expose-gc']);
  // Code that is compiled now does not count as heap of a task.
  await server.command({ tasksEndInMs: 0 });
  await client.run({ kind: 'wait', tasks, interval });
  const measureHeap = async () => {
    await server.command({ closeIdleSockets: true });
    await sleep(500);
    const { heap = Number.NaN } = await client.run({ kind: 'heap' });
    return heap;
  };
  const before = await measureHeap();
  await server.command({ tasksEndInMs: 60_000 });
  await client.run({ kind: 'park', tasks, interval, submit });
  while ((await server.command({})).polls < tasks) await sleep(100);
  const after = await measureHeap();
  const { polls } = await server.command({});
  if (polls !== tasks) throw new Error(`${name} polled ${polls} times instead of ${tasks}`);
  await client.stop();
  return (after - before) / tasks;
}

/** Heap that a waiting task occupies between two polls. */
export async function parkedRow(server: Server): Promise<Row> {
  const values: Record<string, number> = {};
  for (const name of ['raw', 'polygate', 'openai', 'fal', 'replicate']) {
    values[name] = (await heapPerTask(server, name, false)) / 1_024;
  }
  const submitted = (await heapPerTask(server, 'polygate', true)) / 1_024;
  return {
    id: 'heap',
    title: 'Heap per waiting task between two polls',
    unit: 'KiB',
    target: 1.5,
    method: `Used heap after forced garbage collection, while ${tasks.toLocaleString('en')} tasks wait for their second poll and their sockets are closed, minus the used heap before the wait. Only the ids of the tasks were known. A task that polygate has submitted itself takes ${submitted.toFixed(2)} KiB, because it also keeps its idempotency key and the response headers.`,
    values,
  };
}
