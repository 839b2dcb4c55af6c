import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

import { page } from './page.ts';
import { drawPlots } from './plots.ts';
import { startServer } from './processes.ts';
import type { Report, Row } from './row.ts';
import { bundleSizeRows } from './rows/bundle-size.ts';
import { firstTextRow, requestRows } from './rows/calls.ts';
import { chunkRow } from './rows/chunks.ts';
import { coldStartRow } from './rows/cold-start.ts';
import { ledgerRows } from './rows/ledger.ts';
import { limitsRows } from './rows/limits.ts';
import { hookRows, http2Rows, nodeFetchRows, telemetryRows } from './rows/options.ts';
import { parkedRow } from './rows/parked.ts';
import { pollRows } from './rows/polling.ts';
import { queueRows } from './rows/queue.ts';
import { typesRow } from './rows/types.ts';

const root = new URL('../../', import.meta.url);
const start = performance.now();

function readPackage(path: string): { version: string; devDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8'));
}

const docs = new URL('docs/', root);

/** Writes what is generated from the data file. */
function writeDocs(): void {
  const report: Report = JSON.parse(readFileSync(new URL('benchmarks/results.json', docs), 'utf8'));
  writeFileSync(new URL('benchmarks.md', docs), page(report));
  for (const [name, svg] of drawPlots(report)) {
    writeFileSync(new URL(`benchmarks/${name}`, docs), svg);
  }
  execFileSync('npx', ['oxfmt', 'docs/benchmarks.md', 'docs/benchmarks/results.json'], {
    cwd: root,
  });
}

// node test/bench/run.ts [--docs | <group> …]: runs all groups and writes the page, only writes the page from the data file,
// or only prints the rows of the named groups.
const selected = process.argv.slice(2);
if (selected[0] === '--docs') {
  writeDocs();
  process.exit();
}

const server = await startServer();
const rows: Row[] = [];

function log({ title, values }: { title: string; values: object }): void {
  const rounded = Object.entries(values).map(([name, value]) => [
    name,
    Number(value.toPrecision(3)),
  ]);
  console.log(`${Math.round((performance.now() - start) / 1_000)} s  ${title}`);
  console.log(`   ${JSON.stringify(Object.fromEntries(rounded))}`);
}

const groups: Readonly<Record<string, () => Row | Row[] | Promise<Row | Row[]>>> = {
  request: () => requestRows(server),
  stream: async () => [await chunkRow(server, 'small'), await chunkRow(server, 'large')],
  first: () => firstTextRow(server),
  poll: () => pollRows(server),
  heap: () => parkedRow(server),
  size: bundleSizeRows,
  cold: () => coldStartRow(server),
  types: typesRow,
};

const known = [
  ...Object.keys(groups),
  'node-fetch',
  'http2',
  'hooks',
  'telemetry',
  'queue',
  'limits',
  'ledger',
];
const unknown = selected.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  throw new Error(`Unknown group: ${unknown.join(', ')}. Groups: ${known.join(', ')}.`);
}
const isSelected = (name: string) => selected.length === 0 || selected.includes(name);

for (const [name, measure] of Object.entries(groups)) {
  if (!isSelected(name)) continue;
  for (const row of [await measure()].flat()) {
    rows.push(row);
    log(row);
  }
}

/** The rows of a group whose rows are another kind, if it is selected. */
async function measured<Measured extends Parameters<typeof log>[0]>(
  name: string,
  measure: () => Promise<Measured[]>,
): Promise<Measured[]> {
  const measuredRows = isSelected(name) ? await measure() : [];
  measuredRows.forEach(log);
  return measuredRows;
}

const others = {
  nodeFetch: await measured('node-fetch', () => nodeFetchRows(server)),
  http2: await measured('http2', http2Rows),
  hooks: await measured('hooks', () => hookRows(server)),
  telemetry: await measured('telemetry', () => telemetryRows(server)),
  queue: await measured('queue', queueRows),
  limits: await measured('limits', () => limitsRows(server)),
  ledger: await measured('ledger', ledgerRows),
};
server.stop();
if (selected.length > 0) process.exit();

const packages = readPackage('test/bench/package.json').devDependencies;
const report: Report = {
  machine: `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  node: process.versions.node,
  date: new Date().toISOString().slice(0, 10),
  versions: Object.fromEntries([
    ...Object.entries(packages),
    ...['ky', 'eventsource-parser', 'undici', 'bullmq'].map((name) => [
      name,
      readPackage(`node_modules/${name}/package.json`).version,
    ]),
    ['polygate', readPackage('package.json').version],
  ]),
  seconds: Math.round((performance.now() - start) / 1_000),
  rows,
  ...others,
};

writeFileSync(new URL('benchmarks/results.json', docs), JSON.stringify(report, undefined, 2));
writeDocs();
