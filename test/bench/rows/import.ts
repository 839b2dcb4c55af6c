import { spawnSync } from 'node:child_process';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';
import { differences, inTurns, mapValues } from '../stats.ts';

const cwd = new URL('..', import.meta.url).pathname;

const touch = 'first touch of fetch';

const scripts: Record<string, string> = {
  raw: '',
  [touch]: 'new Headers();',
  ...Object.fromEntries(
    Object.entries(apps).map(([name, { modules }]) => [
      name,
      modules.map((module) => `import '${module}';`).join('\n'),
    ]),
  ),
};

/** CPU time of a program, ms: it says so itself, as its last deed. */
async function run(name: string): Promise<number> {
  const script = `${scripts[name]}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`import of ${name}: ${stderr}`);
  return Number(stdout) / 1_000;
}

/** How long a program starts that imports a client, and does nothing with it. */
export async function importRow(): Promise<Row> {
  const names = Object.keys(scripts);
  for (const name of names) await run(name);
  const { [touch]: limit = Number.NaN, ...clients } = differences(await inTurns(names, 7, run));
  return {
    id: 'import',
    title: 'Cold import, over the first touch of fetch',
    unit: '×',
    // 45 ms where the first touch takes 26.
    target: 1.73,
    method:
      'User and system time of a new process that imports the client and ends, less one that imports nothing; over one that only touches `fetch`, which Node loads when it is needed.',
    values: mapValues(clients, (ms) => ms / limit),
    limit: `${limit.toFixed(1)} ms`,
  };
}
