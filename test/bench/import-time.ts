import { spawnSync } from 'node:child_process';

import { differences, interleave, mapValues } from './stats.ts';

/** Maximum import time relative to the first use of `fetch`: 45 ms on a machine where that takes 26 ms. */
export const importTarget = 1.73;

/** CPU time of a new process in ms. The process prints it before it exits. */
function run(program: string, cwd: string): number {
  const script = `${program}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout) / 1_000;
}

/**
 * Measures the CPU time that programs take in addition to an empty program. `fetchMs` is the time for the first use of
 * `fetch`, which Node loads lazily. `ratios` are the times of the given programs relative to `fetchMs`.
 */
export async function importTimes(
  programs: Readonly<Record<string, string>>,
  rounds: number,
  cwd: string,
): Promise<{ fetchMs: number; ratios: Record<string, number> }> {
  const all = new Map(Object.entries({ raw: '', fetch: 'new Headers();', ...programs }));
  const measure = async (name: string) => run(all.get(name) ?? '', cwd);
  for (const name of all.keys()) await measure(name);
  const times = differences(await interleave([...all.keys()], rounds, measure));
  const { fetch: fetchMs = Number.NaN, ...imports } = times;
  return { fetchMs, ratios: mapValues(imports, (ms) => ms / fetchMs) };
}
