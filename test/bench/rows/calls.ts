import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { baselineOf, differences, interleave, ratios } from '../stats.ts';

/** Starts the clients, each in its own process, and stops them when `use` has ended. */
export async function withClients<Result>(
  names: readonly string[],
  server: Server,
  use: (client: (name: string) => Awaited<ReturnType<typeof startClient>>) => Promise<Result>,
): Promise<Result> {
  const clients = new Map<string, Awaited<ReturnType<typeof startClient>>>();
  for (const name of names) clients.set(name, await startClient(name, server));
  try {
    return await use((name) => clients.get(name)!);
  } finally {
    await Promise.all([...clients.values()].map((client) => client.stop()));
  }
}

const parallel = 64;

/** CPU time per request. */
export async function requestRow(server: Server): Promise<Row> {
  const names = [
    'raw',
    'polygate',
    'ky',
    'openai',
    'ai-sdk',
    'openrouter',
    'fal',
    'replicate',
    'runway',
  ];
  const count = 320;
  const cpu = await withClients(names, server, async (client) => {
    for (const name of names) await client(name).run({ kind: 'request', count: 1_280, parallel });
    return interleave(names, 15, async (name) => {
      const { cpu: total } = await client(name).run({ kind: 'request', count, parallel });
      return total / count;
    });
  });
  return {
    id: 'request',
    title: 'CPU per request, 64 in parallel, 2 KB response',
    unit: '×',
    target: 1.4,
    method: `POST requests with two messages, ${parallel} in parallel, keep-alive. User and system CPU time relative to fetch and JSON.parse.`,
    values: ratios(cpu),
    baseline: `${Math.round(baselineOf(cpu))} µs`,
  };
}

/** Time to the first text of a stream. */
export async function firstTextRow(server: Server): Promise<Row> {
  const names = ['raw', 'polygate', 'openai', 'ai-sdk', 'openrouter', 'fal'];
  const wall = await withClients(names, server, async (client) => {
    const measure = async (name: string, count: number) =>
      (await client(name).run({ kind: 'first', count })).wall;
    for (const name of names) await measure(name, name === 'fal' ? 5 : 300);
    return interleave(names, 15, async (name, round) =>
      name === 'fal' ? (round < 3 ? measure(name, 5) : undefined) : measure(name, 60),
    );
  });
  return {
    id: 'first-text',
    title: 'Added time to the first text of a stream',
    unit: 'µs',
    target: 150,
    method:
      'Streams in sequence. Time from the call to the first text, minus the time of fetch, eventsource-parser and JSON.parse.',
    values: differences(wall),
    baseline: `${Math.round(baselineOf(wall))} µs`,
  };
}
