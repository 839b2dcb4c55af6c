import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { apps } from '../apps.ts';
import type { Row } from '../row.ts';
import { baselineOf, interleave, median, ratios } from '../stats.ts';

const script = new URL('../type-check.ts', import.meta.url).pathname;

async function check(name: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, name]);
  return Number(stdout);
}

/** Runs two checks in parallel to save time; only CPU time is measured. */
async function checkTwice(name: string): Promise<number> {
  return median(await Promise.all([check(name), check(name)]));
}

/** Time to type check a small program. */
export async function typesRow(): Promise<Row> {
  const cpu = await interleave(['raw', ...Object.keys(apps)], 3, checkTwice);
  return {
    id: 'types',
    title: 'Type check of a small program',
    unit: '×',
    target: 1.6,
    method:
      'TypeScript in a new process, strict, skipLibCheck, without Node types. User and system CPU time relative to an empty file.',
    values: ratios(cpu),
    baseline: `${Math.round(baselineOf(cpu) / 1_000).toLocaleString('en')} ms`,
  };
}
