import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { baselineOf, interleave, mapValues, median, ratios } from '../stats.ts';

const tasks = 10_000;

/** Tasks to wait for before the measurement starts. */
const warmUp = 500;

/** Waits for many tasks in parallel: CPU time per poll, open sockets and memory per task. */
export async function pollRows(server: Server): Promise<Row[]> {
  const names = ['raw', 'polygate', 'openai', 'fal', 'replicate', 'runway'];
  const sockets = new Map<string, number[]>();
  const memory = new Map<string, number[]>();
  const cpu = await interleave(names, 2, async (name, round) => {
    // Only the clients that determine the target run twice, to save time.
    if (round > 0 && name !== 'raw' && name !== 'polygate') return undefined;
    const client = await startClient(name, server);
    await client.run({ kind: 'wait', tasks: warmUp });
    await server.readCounters();
    const measurement = await client.run({ kind: 'wait', tasks });
    const { peakSockets, polls } = await server.readCounters();
    await client.stop();
    sockets.set(name, [...(sockets.get(name) ?? []), peakSockets]);
    memory.set(name, [...(memory.get(name) ?? []), (measurement.memory ?? 0) / tasks]);
    return measurement.cpu / polls;
  });
  const medians = (samples: Map<string, number[]>) =>
    Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]));
  const method = `The client waits for ${tasks.toLocaleString('en')} tasks in parallel. Each task succeeds once 1.5 s have passed since it was first polled. A new process per measurement, warmed up with ${warmUp} other tasks. One poll every 2 s (Runway: every 4.5 to 7.5 s).`;
  return [
    {
      id: 'poll',
      title: 'CPU per poll',
      unit: '×',
      target: 0.6,
      method: `${method} User and system CPU time relative to one loop of fetch, JSON.parse and setTimeout per task.`,
      values: ratios(cpu),
      baseline: `${Math.round(baselineOf(cpu))} µs`,
    },
    {
      id: 'sockets',
      title: 'Maximum open sockets',
      unit: '',
      target: 128,
      method: `${method} Counted by the server.`,
      values: medians(sockets),
    },
    {
      id: 'memory',
      title: 'Peak memory per task',
      unit: 'KiB',
      target: 12,
      method: `${method} Peak resident set size minus the resident set size after the warm-up.`,
      values: mapValues(medians(memory), (kib) => Math.max(0, kib)),
    },
  ];
}
