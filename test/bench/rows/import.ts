import { apps } from '../apps.ts';
import { importTarget, importTimes } from '../import-time.ts';
import type { Row } from '../row.ts';

const cwd = new URL('..', import.meta.url).pathname;

const programs = Object.fromEntries(
  Object.entries(apps).map(([name, { modules }]) => [
    name,
    modules.map((module) => `import '${module}';`).join('\n'),
  ]),
);

/** How long a program starts that imports a client, and does nothing with it. */
export async function importRow(): Promise<Row> {
  const { touch, shares } = await importTimes(programs, 7, cwd);
  return {
    id: 'import',
    title: 'Cold import, over the first touch of fetch',
    unit: '×',
    target: importTarget,
    method:
      'User and system time of a new process that imports the client and ends, less one that imports nothing; over one that only touches `fetch`, which Node loads when it is needed.',
    values: shares,
    limit: `${touch.toFixed(1)} ms`,
  };
}
