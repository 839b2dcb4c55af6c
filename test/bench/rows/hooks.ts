import type { Job } from '../jobs.ts';
import type { Server } from '../processes.ts';
import { streams } from '../responses.ts';
import type { HookRow } from '../row.ts';
import { baselineOf, interleave, ratios } from '../stats.ts';
import { withClients } from './calls.ts';
import { interval } from './polling.ts';

const names = ['raw', 'polygate', 'polygate-hooks'];

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
    id: 'hooks-parallel',
    title: 'CPU per request, 64 in parallel',
    job: { kind: 'request', count: 640, parallel: 64 },
    units: 640,
    rounds: 15,
  },
  {
    id: 'hooks-sequence',
    title: 'CPU per request, one at a time',
    job: { kind: 'request', count: 320, parallel: 1 },
    units: 320,
    rounds: 15,
  },
  {
    id: 'hooks-poll',
    title: 'CPU per poll, 1,000 tasks in parallel',
    job: { kind: 'wait', tasks: 1_000, interval },
    rounds: 2,
  },
  {
    id: 'hooks-stream',
    title: `CPU per streamed chat of ${streams.chat.chunks} chunks`,
    job: { kind: 'stream', name: 'chat', delivery: 'events', count: 60 },
    units: 60,
    rounds: 15,
  },
];

/** What hooks cost: CPU time without and with two hooks that do nothing. */
export async function hookRows(server: Server): Promise<HookRow[]> {
  return withClients(names, server, async (client) => {
    const rows: HookRow[] = [];
    for (const { id, title, job, units, rounds } of works) {
      const measure = async (name: string) => {
        await server.command({ tasksEndInMs: 3_000 });
        const { cpu } = await client(name).run(job);
        return cpu / (units ?? (await server.command({})).polls);
      };
      for (const name of names) await measure(name);
      const cpu = await interleave(names, rounds, measure);
      const baseline = `${Math.round(baselineOf(cpu))} µs`;
      rows.push({ id, title, baseline, values: ratios(cpu) });
    }
    return rows;
  });
}
