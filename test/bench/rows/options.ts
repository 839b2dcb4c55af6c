import type { Job } from '../jobs.ts';
import { startTlsServer } from '../processes.ts';
import type { Server } from '../processes.ts';
import { streams } from '../responses.ts';
import type { OptionRow } from '../row.ts';
import { baselineOf, interleave, ratios } from '../stats.ts';
import type { Samples } from '../stats.ts';
import { withClients } from './calls.ts';
import { interval } from './polling.ts';

/** Work to measure. `units` is how often the job does what the title says; polls are counted by the server. */
interface Work {
  readonly id: string;
  readonly title: string;
  readonly job: Job;
  readonly units?: number;
  readonly rounds: number;
}

const works: readonly Work[] = [
  {
    id: 'parallel',
    title: 'CPU per request, 64 in parallel',
    job: { kind: 'request', count: 640, parallel: 64 },
    units: 640,
    rounds: 15,
  },
  {
    id: 'sequence',
    title: 'CPU per request, one at a time',
    job: { kind: 'request', count: 320, parallel: 1 },
    units: 320,
    rounds: 15,
  },
  {
    id: 'poll',
    title: 'CPU per poll, 1,000 tasks in parallel',
    job: { kind: 'wait', tasks: 1_000, interval },
    rounds: 2,
  },
  {
    id: 'stream',
    title: `CPU per streamed chat of ${streams.chat.chunks} chunks`,
    job: { kind: 'stream', name: 'chat', delivery: 'events', count: 60 },
    units: 60,
    rounds: 15,
  },
];

/** What hooks cost: CPU time without and with two hooks that do nothing, relative to `raw`. */
export async function hookRows(server: Server): Promise<OptionRow[]> {
  return optionRows('hooks', ['raw', 'polygate', 'polygate-hooks'], server);
}

/** What `nodeFetch` saves: CPU time over the global `fetch` and over `nodeFetch`, relative to `raw`. */
export async function nodeFetchRows(server: Server): Promise<OptionRow[]> {
  return optionRows('node-fetch', ['raw', 'polygate', 'polygate-node-fetch'], server);
}

/** What HTTP/2 costs or saves: CPU time over TLS, relative to `raw`, whose `fetch` uses HTTP/1.1 in Node 24. */
export async function http2Rows(): Promise<OptionRow[]> {
  const server = await startTlsServer();
  const names = ['raw', 'polygate', 'polygate-node-fetch', 'polygate-http2'] as const;
  return withClients(names, server, async (client) => {
    const rows: OptionRow[] = [];
    for (const { id, title, job, units, rounds } of works) {
      if (job.kind !== 'request' || units === undefined) continue;
      const measure = async (name: string) => (await client(name).run(job)).cpu / units;
      for (const name of names) await measure(name);
      rows.push(toRow(`http2-${id}`, title, await interleave(names, rounds, measure), 'raw'));
    }
    return rows;
  }).finally(() => server.stop());
}

function toRow(id: string, title: string, cpu: Samples, baseline: string): OptionRow {
  const value = Math.round(baselineOf(cpu, baseline)).toLocaleString('en');
  return { id, title, baseline: `${value} µs`, values: ratios(cpu, baseline) };
}

/** What telemetry costs: CPU time with OpenTelemetry, relative to polygate without. */
export async function telemetryRows(server: Server): Promise<OptionRow[]> {
  return optionRows('telemetry', ['polygate', 'polygate-telemetry'], server);
}

/** Compares clients with the first of them. */
async function optionRows(
  group: string,
  names: readonly [baseline: string, ...others: string[]],
  server: Server,
): Promise<OptionRow[]> {
  return withClients(names, server, async (client) => {
    const rows: OptionRow[] = [];
    for (const { id, title, job, units, rounds } of works) {
      const measure = async (name: string) => {
        await server.command({ tasksEndInMs: 3_000 });
        const { cpu } = await client(name).run(job);
        return cpu / (units ?? (await server.command({})).polls);
      };
      for (const name of names) await measure(name);
      const cpu = await interleave(names, rounds, measure);
      rows.push(toRow(`${group}-${id}`, title, cpu, names[0]));
    }
    return rows;
  });
}
