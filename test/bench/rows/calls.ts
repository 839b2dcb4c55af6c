import { streams } from '../answers.ts';
import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import type { Row } from '../row.ts';
import { differences, inTurns, limitOf, ratios } from '../stats.ts';

/** Clients by name, each in its process, for as long as `use` takes. */
async function withClients<Result>(
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

/** CPU of one request. */
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
    for (const name of names) await client(name).ask({ do: 'request', count: 1_280, parallel });
    return inTurns(names, 15, async (name) => {
      const measured = await client(name).ask({ do: 'request', count, parallel });
      return measured.cpu / count;
    });
  });
  return {
    id: 'request',
    title: 'CPU a request, 64 at a time, 2 KB answer',
    unit: '×',
    target: 1.4,
    method: `POST with two messages, ${parallel} at a time, keep-alive; user and system time over fetch and JSON.parse.`,
    values: ratios(cpu),
    limit: `${Math.round(limitOf(cpu))} µs`,
  };
}

/** CPU of one chunk. */
export async function chunkRow(server: Server, size: 'small' | 'large'): Promise<Row> {
  const names = ['raw', 'polygate', 'openai', 'ai-sdk', 'openrouter', 'fal'];
  const rounds = 11;
  const cpu = await withClients(names, server, async (client) => {
    const ask = async (name: string, count: number) => {
      // fal looks for the next chunk every 16 ms, so it gets fewer of them.
      const stream = name === 'fal' ? (`${size}-few` as const) : size;
      const measured = await client(name).ask({ do: 'stream', name: stream, count });
      return measured.cpu / count / streams[stream].chunks;
    };
    for (const name of names) await ask(name, name === 'fal' ? 1 : 60);
    return inTurns(names, rounds, async (name, round) =>
      name === 'fal' ? (round < 2 ? ask(name, 1) : undefined) : ask(name, 8),
    );
  });
  const { chunks, length } = streams[size];
  const target = size === 'small' ? 1.4 : 1.15;
  return {
    id: `chunk-${size}`,
    title: size === 'small' ? 'CPU a small stream chunk' : 'CPU an 8 KB stream chunk',
    unit: '×',
    target,
    method: `Streams of ${chunks} chunks with ${length} characters of text each, sent as fast as they are read; user and system time over fetch, eventsource-parser and JSON.parse.`,
    values: ratios(cpu),
    limit: `${limitOf(cpu).toFixed(1)} µs`,
  };
}

/** Time until the first text of a stream. */
export async function firstTextRow(server: Server): Promise<Row> {
  const names = ['raw', 'polygate', 'openai', 'ai-sdk', 'openrouter', 'fal'];
  const wall = await withClients(names, server, async (client) => {
    const ask = async (name: string, count: number) =>
      (await client(name).ask({ do: 'first', count })).wall;
    for (const name of names) await ask(name, name === 'fal' ? 5 : 300);
    return inTurns(names, 15, async (name, round) =>
      name === 'fal' ? (round < 3 ? ask(name, 5) : undefined) : ask(name, 60),
    );
  });
  return {
    id: 'first-text',
    title: 'Added time to the first text of a stream',
    unit: 'µs',
    target: 150,
    method:
      'One stream after the other; from the call until the first text, less what fetch, eventsource-parser and JSON.parse take.',
    values: differences(wall),
    limit: `${Math.round(limitOf(wall))} µs`,
  };
}
