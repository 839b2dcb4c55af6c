import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { inTurns, mapValues, median, limitOf, ratios } from '../stats.ts';

const tasks = 10_000;

/** Tasks before those that count: a process that waits for thousands is warm. */
const warmUp = 500;

/** Many tasks waited for at once: what a poll costs, how many sockets are open, how much memory a task takes. */
export async function waitRows(server: Server): Promise<Row[]> {
  const names = ['raw', 'polygate', 'openai', 'fal', 'replicate', 'runway'];
  const sockets = new Map<string, number[]>();
  const memory = new Map<string, number[]>();
  const cpu = await inTurns(names, 2, async (name, round) => {
    // Twice for what the targets are about; the others would take more minutes than they tell.
    if (round > 0 && name !== 'raw' && name !== 'polygate') return undefined;
    const client = await startClient(name, server);
    await client.ask({ do: 'wait', tasks: warmUp });
    await server.counted();
    const measured = await client.ask({ do: 'wait', tasks });
    const { peak, polls } = await server.counted();
    await client.stop();
    sockets.set(name, [...(sockets.get(name) ?? []), peak]);
    memory.set(name, [...(memory.get(name) ?? []), (measured.memory ?? 0) / tasks]);
    return measured.cpu / polls;
  });
  const medians = (samples: Map<string, number[]>) =>
    Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]));
  const how = `${tasks} tasks waited for at once, each over at the first poll 1.5 s after its first; a new process each time, warmed up with ${warmUp} others, polls every 2 s (Runway: every 4.5 to 7.5 s).`;
  return [
    {
      id: 'poll',
      title: 'CPU a poll',
      unit: '×',
      target: 0.6,
      method: `${how} User and system time over a naive loop of fetch, JSON.parse and setTimeout a task.`,
      values: ratios(cpu),
      limit: `${Math.round(limitOf(cpu))} µs`,
    },
    {
      id: 'sockets',
      title: 'Sockets open at once',
      unit: '',
      target: 128,
      method: `${how} As the server counts them.`,
      values: medians(sockets),
    },
    {
      id: 'memory',
      title: 'Peak memory a task',
      unit: 'KB',
      target: 12,
      method: `${how} Highest resident size over that after the warm-up.`,
      values: mapValues(medians(memory), (kb) => Math.max(0, kb)),
    },
  ];
}
