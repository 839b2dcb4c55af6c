import { startClient } from '../processes.ts';
import type { Server } from '../processes.ts';
import { streams } from '../responses.ts';
import type { Delivery } from '../responses.ts';
import type { Row } from '../row.ts';
import { baselineOf, interleave, median, ratios } from '../stats.ts';

/** Number of measurements. The slowest clients get fewer, to save time. */
const rounds: Readonly<Record<string, number>> = {
  polygate: 15,
  openai: 7,
  'ai-sdk': 3,
  openrouter: 5,
  fal: 1,
};

/** CPU time per chunk of a client and of the baseline, which take turns in one process. */
async function measureChunks(
  server: Server,
  name: string,
  size: 'small' | 'large',
  delivery: Delivery,
) {
  const client = await startClient(name, server, ['--expose-gc']);
  const measure = async (of: string) => {
    const baseline = of === 'raw';
    // fal checks for the next chunk every 16 ms, so it gets fewer chunks.
    const stream = name === 'fal' && !baseline ? (`${size}-few` as const) : size;
    const job = { kind: 'stream', name: stream, delivery, count: 1, baseline } as const;
    return (await client.run(job)).cpu / streams[stream].chunks;
  };
  await interleave(['raw', name], 2, measure);
  const cpu = await interleave(['raw', name], rounds[name] ?? 1, measure);
  await client.stop();
  return { ratio: ratios(cpu)[name]!, baseline: baselineOf(cpu) };
}

/** CPU time per stream chunk. */
export async function chunkRow(server: Server, size: 'small' | 'large'): Promise<Row> {
  const values: Record<string, number> = { raw: 1 };
  const baselines: number[] = [];
  for (const name of Object.keys(rounds)) {
    const { ratio, baseline } = await measureChunks(server, name, size, 'blocks');
    values[name] = ratio;
    baselines.push(baseline);
  }
  const events = await measureChunks(server, 'polygate', size, 'events');
  return {
    id: `chunk-${size}`,
    title: size === 'small' ? 'CPU per small stream chunk' : 'CPU per 8 KB stream chunk',
    unit: '×',
    target: size === 'small' ? 1.3 : 1.1,
    method: `A stream of ${streams[size].chunks.toLocaleString('en')} chunks of about ${size === 'small' ? '280 bytes' : '8 KB'} with multi-byte text, sent as fast as it is read, in blocks of 64 KB. User and system CPU time relative to fetch, eventsource-parser and JSON.parse; each client takes turns with the baseline in one process, and garbage is collected before each turn. If the server writes every event on its own, reading costs more: the baseline takes ${events.baseline.toFixed(1)} µs, and the ratio of polygate is ${events.ratio.toFixed(2)}. fal gets short streams of ASCII text, because it sleeps for 16 ms per chunk and breaks characters that are split between two network chunks.`,
    values,
    baseline: `${median(baselines).toFixed(1)} µs`,
  };
}
