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

/** Time to import each client. */
export async function importRow(): Promise<Row> {
  const { fetchMs, ratios } = await importTimes(programs, 7, cwd);
  return {
    id: 'import',
    title: 'Cold import, relative to the first use of fetch',
    unit: '×',
    target: importTarget,
    method:
      'User and system CPU time of a new process that only imports the client, minus that of an empty process, relative to the first use of `fetch`, which Node loads lazily.',
    values: ratios,
    baseline: `${fetchMs.toFixed(1)} ms`,
  };
}
