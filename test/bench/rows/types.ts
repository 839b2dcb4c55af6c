import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';
import { inTurns, median, limitOf, ratios } from '../stats.ts';

const script = new URL('../type-check.ts', import.meta.url).pathname;

async function check(name: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, name]);
  return Number(stdout);
}

/** Two at once: they take seconds, and CPU time is what counts. */
async function checkTwice(name: string): Promise<number> {
  return median(await Promise.all([check(name), check(name)]));
}

/** What the compiler needs for a small consumer. */
export async function typesRow(): Promise<Row> {
  const cpu = await inTurns(['raw', ...Object.keys(apps)], 3, checkTwice);
  return {
    id: 'types',
    title: 'Type check of a small consumer',
    unit: '×',
    target: 1.6,
    method:
      'TypeScript in a new process, strict, skipLibCheck, no Node types; user and system time over an empty file.',
    values: ratios(cpu),
    limit: `${Math.round(limitOf(cpu) / 1_000)} ms`,
  };
}
