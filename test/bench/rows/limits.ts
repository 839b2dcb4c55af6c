import type { Server } from '../processes.ts';
import { startRedis } from '../redis.ts';
import type { LimitsRow } from '../row.ts';
import { interleave, medians } from '../stats.ts';
import { withClients } from './calls.ts';

const rounds = 15;
const names = ['proxy', 'proxy-memory', 'proxy-redis'] as const;

const works = [
  { id: 'parallel', title: '64 in parallel', count: 640, parallel: 64 },
  { id: 'sequence', title: 'one at a time', count: 320, parallel: 1 },
] as const;

/** What `limits` adds to a request that the proxy forwards, in memory and on Redis, in µs. */
export async function limitsRows(server: Server): Promise<LimitsRow[]> {
  await using started = await startRedis();
  process.env.BENCH_REDIS_URL = `redis://127.0.0.1:${started.port}`;
  // Awaited, so that Redis runs until the end.
  return await withClients(names, server, async (client) => {
    const rows: LimitsRow[] = [];
    for (const { id, title, count, parallel } of works) {
      const walls: Record<string, number[]> = {};
      const measure = async (name: string) => {
        const start = performance.now();
        const { cpu } = await client(name).run({ kind: 'request', count, parallel });
        (walls[name] ??= []).push(((performance.now() - start) * 1_000) / count);
        return cpu / count;
      };
      for (const name of names) await measure(name);
      for (const name of names) walls[name] = [];
      const cpu = medians(await interleave(names, rounds, measure));
      const values = (of: Record<string, number>) => ({
        none: of.proxy!,
        memory: of['proxy-memory']!,
        redis: of['proxy-redis']!,
      });
      rows.push({
        id: `limits-${id}-cpu`,
        title: `CPU of the proxy per request, ${title}`,
        values: values(cpu),
      });
      rows.push({
        id: `limits-${id}-time`,
        title: `Time per request, ${title}`,
        values: values(medians(walls)),
      });
    }
    return rows;
  });
}
