import { notes } from './notes.ts';
import { plotLinks } from './plots.ts';
import type { LedgerRow, LimitsRow, OptionRow, QueueRow, Report, Row } from './row.ts';

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function polygateValue({ values }: Row): number {
  return values.polygate ?? Number.NaN;
}

function isMet(row: Row): boolean {
  return polygateValue(row) <= row.target;
}

/** Whether another client has a better value than polygate. */
function isBeaten({ values, ...row }: Row): boolean {
  const own = polygateValue({ values, ...row });
  return Object.entries(values).some(([name, value]) => name !== 'raw' && value < own);
}

function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))].filter(
    (name) => name !== 'raw' && name !== 'polygate',
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['Benchmark', 'raw', ...names, 'polygate', 'Target']),
    line(['---', ...names.map(() => '--:'), '--:', '--:', '--:']),
    ...rows.map((row) => {
      const cell = (name: string) => {
        const value = row.values[name];
        return value === undefined ? '' : number.format(value);
      };
      const unit = row.unit && row.unit !== '×' ? `, ${row.unit}` : '';
      const verdict = isMet(row) ? '' : ' (missed)';
      return line([
        `${row.title}${unit}`,
        row.baseline ?? cell('raw'),
        ...names.map(cell),
        `**${cell('polygate')}**`,
        `${row.target}${verdict}`,
      ]);
    }),
  ].join('\n');
}

/** Why a row misses its target, or another client is better. */
function reason({ id, title }: Row): string[] {
  const note = notes[id];
  return note === undefined ? [] : [`- **${title}**: ${note}`];
}

/** The values of polygate for requests in parallel and in sequence, which are the first two rows. */
function both(rows: readonly OptionRow[], name: string): string {
  return rows
    .slice(0, 2)
    .map(({ values }) => number.format(values[name] ?? Number.NaN))
    .join(' and ');
}

function variant(rows: readonly OptionRow[], name: string): string {
  return `${both(rows, name)} (${both(rows, 'polygate')} without)`;
}

/** What adding and submitting rows costs. The CPU time is in the raw numbers. */
function queueCosts(rows: readonly QueueRow[]): string {
  return rows
    .filter(({ id }) => !id.endsWith('-cpu'))
    .flatMap(({ title, values: { plain, rows: value } }) =>
      plain === undefined
        ? []
        : [`${title}: ${number.format(value)} (BullMQ alone ${number.format(plain)})`],
    )
    .join('; ');
}

/** The CPU time of the proxy. The time per request is in the raw numbers. */
function limitsCosts(rows: readonly LimitsRow[]): string {
  const cpu = (store: keyof LimitsRow['values']) =>
    rows
      .filter(({ id }) => id.endsWith('-cpu'))
      .map(({ values }) => Math.round(values[store]))
      .join(' and ');
  return `${cpu('none')} µs without, ${cpu('memory')} µs with \`memoryStore()\`, ${cpu('redis')} µs with \`redisStore()\``;
}

/** The calls per second of the ledger. */
function ledgerRates(rows: readonly LedgerRow[]): string {
  return rows
    .map(
      ({ title, values: { before, now } }) =>
        `${number.format(now)} ${title} (version 0.3.0: ${number.format(before)})`,
    )
    .join(', ');
}

/** What options of the client and the proxy cost, as far as they were measured. */
function options({
  nodeFetch,
  http2,
  hooks,
  telemetry,
  queue,
  limits,
  ledger = [],
}: Report): string {
  return [
    nodeFetch.length > 0 &&
      `- [\`nodeFetch\`](runtimes.md#nodefetch): ${variant(nodeFetch, 'polygate-node-fetch')}.`,
    http2.length > 0 &&
      `- [HTTP/2](runtimes.md#http2) over \`nodeFetch\`, with one connection in place of 64: ${variant(http2, 'polygate-http2')}.`,
    hooks.length > 0 &&
      `- [Hooks](hooks.md), one of each kind: ${variant(hooks, 'polygate-hooks')}.`,
    telemetry.length > 0 &&
      `- [OpenTelemetry](observability.md), relative to none: ${both(telemetry, 'polygate-telemetry')}.`,
    queue.length > 0 &&
      `- [Queue on Redis](many-machines.md), one worker with \`concurrency: 50\`; more rows per second are better: ${queueCosts(queue)}.`,
    limits.length > 0 &&
      `- [Limits per user](user-limits.md), CPU time of the proxy: ${limitsCosts(limits)}.`,
    ledger.length > 0 &&
      `- [Budget](costs.md#set-a-budget), paid calls per second that the ledger of a client counts; more are better: ${ledgerRates(ledger)}.`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

/** Renders docs/benchmarks.md. */
export function page(report: Report): string {
  const { machine, node, date, rows } = report;
  const missed = rows.filter((row) => !isMet(row));
  const lost = rows.filter((row) => !isMet(row) || isBeaten(row));
  return `# Benchmarks

What each client costs, and where others are better. All ran on one machine (${machine}, Node.js ${node}, ${date}) against one local server, each in
a process of its own, in turns. Every result is verified. Ratios are the median over rounds; rows with a unit show absolute values.
Lower is better. On a shared processor, a ratio can vary by 25%.

${plotLinks}

${table(rows)}

\`raw\` is the absolute value of the baseline: \`fetch\` and \`JSON.parse\`, without what a client adds. An empty cell means that the client does not do this work.

## Misses

polygate misses ${missed.length} of ${rows.length} targets, and in ${rows.filter(isBeaten).length} rows another client is better. Known reasons, besides [what a page loads first](runtimes.md#first-load):

${lost.flatMap(reason).join('\n')}

## Options

CPU time of the client alone per request, relative to \`raw\`, with 64 requests in parallel and with one at a time, if no unit is given. Ratios of wall time, or
with the server in the same process, are closer to 1: \`node test/bench/cross-check.ts\` measures all three.

${options(report)}

## Faults

The table in [README.md](../README.md) was measured with openai 7.55 (polls: 6.49), fal 1.10, replicate 1.4 and runway 4.20 against
local servers that inject these faults. openai's \`stream()\` helper does notice the cut. These clients are made for other services,
which may recognize a repeated request.

## Run the benchmarks

\`npm run bench\` runs them and generates this page; do not edit it. The raw numbers and the versions of all packages are in
[benchmarks/results.json](benchmarks/results.json).
`;
}
