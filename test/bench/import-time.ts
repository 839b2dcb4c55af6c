import { spawnSync } from 'node:child_process';

import { differences, inTurns, mapValues } from './stats.ts';

/** What an import may take, over the first touch of `fetch`: 45 ms where that takes 26. */
export const importTarget = 1.73;

/** CPU time of a new process, ms: it says so itself, as its last deed. */
function run(program: string, cwd: string): number {
  const script = `${program}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout) / 1_000;
}

/**
 * What programs take over an empty one: the first touch of `fetch`, which Node loads when it is needed, in ms, and the
 * given ones as multiples of that.
 */
export async function importTimes(
  programs: Readonly<Record<string, string>>,
  rounds: number,
  cwd: string,
): Promise<{ touch: number; shares: Record<string, number> }> {
  const all = new Map(Object.entries({ raw: '', touch: 'new Headers();', ...programs }));
  const measure = async (name: string) => run(all.get(name) ?? '', cwd);
  for (const name of all.keys()) await measure(name);
  const times = differences(await inTurns([...all.keys()], rounds, measure));
  const { touch = Number.NaN, ...imports } = times;
  return { touch, shares: mapValues(imports, (ms) => ms / touch) };
}
