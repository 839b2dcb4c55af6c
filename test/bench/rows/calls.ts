import { requestClients } from '../client.ts';
import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { baselineOf, interleave, ratios } from '../stats.ts';
import type { Samples } from '../stats.ts';

/** Starts the clients, each in its own process, and stops them when `use` has ended. */
export async function withClients<Result>(
  names: readonly string[],
  server: Pick<Server, 'base'>,
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

/** CPU time per request, in parallel and one at a time. */
export async function requestRows(server: Server): Promise<Row[]> {
  return withClients(requestClients, server, async (client) => {
    const measureRow = async (parallel: number, count: number): Promise<Samples> => {
      const measure = async (name: string) =>
        (await client(name).run({ kind: 'request', count, parallel })).cpu / count;
      await interleave(requestClients, 4, measure);
      return interleave(requestClients, 15, measure);
    };
    const method =
      'POST requests with two messages and a response of 2 KB, over connections that are kept alive. User and system CPU time relative to fetch and JSON.parse.';
    const parallel = await measureRow(64, 320);
    const sequence = await measureRow(1, 160);
    return [
      {
        id: 'request',
        title: 'CPU per request, 64 in parallel',
        unit: '×',
        target: 1.15,
        method,
        values: ratios(parallel),
        baseline: `${Math.round(baselineOf(parallel)).toLocaleString('en')} µs`,
      },
      {
        id: 'request-sequence',
        title: 'CPU per request, one at a time',
        unit: '×',
        target: 1.15,
        method,
        values: ratios(sequence),
        baseline: `${Math.round(baselineOf(sequence)).toLocaleString('en')} µs`,
      },
    ];
  });
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
    title: 'Time to the first text of a stream',
    unit: '×',
    target: 1.15,
    method:
      'Streams in sequence. Wall time from the call to the first text, relative to fetch, eventsource-parser and JSON.parse.',
    values: ratios(wall),
    baseline: `${Math.round(baselineOf(wall) * 1_000)} µs`,
  };
}
