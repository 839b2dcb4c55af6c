import { notes } from './notes.ts';
import type { LimitsRow, OptionRow, QueueRow, Row } from './row.ts';

/** The results of a benchmark run. */
export interface Report {
  /** Platform and processor, without the host name. */
  readonly machine: string;
  readonly node: string;
  /** Versions by package. */
  readonly versions: Record<string, string>;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly nodeFetch: readonly OptionRow[];
  /** CPU time over TLS, with `nodeFetch` over HTTP/1.1 and HTTP/2. */
  readonly http2: readonly OptionRow[];
  readonly hooks: readonly OptionRow[];
  readonly telemetry: readonly OptionRow[];
  readonly queue: readonly QueueRow[];
  readonly limits: readonly LimitsRow[];
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Formats a value with its unit. */
export function formatValue({ unit }: Row, value: number): string {
  const formatted = number.format(Math.abs(value) >= 1_000 ? Math.round(value) : value);
  return unit === '×' ? formatted : `${formatted}${unit && ` ${unit}`}`;
}

function polygateValue({ values }: Row): number {
  return values.polygate ?? Number.NaN;
}

function isMet(row: Row): boolean {
  return polygateValue(row) <= row.target;
}

/** Clients with better values than polygate, best first. */
function betterClients({ values, ...row }: Row): string[] {
  return Object.entries(values)
    .filter(([name, value]) => name !== 'raw' && value < (values.polygate ?? 0))
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, value]) => `${name} (${formatValue({ ...row, values }, value)})`);
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
        return value === undefined ? '–' : number.format(value);
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

function section(row: Row): string {
  const better = betterClients(row);
  const behind = better.length > 0 ? `Better than polygate: ${better.join(', ')}.` : '';
  const target = `Target: ${formatValue(row, row.target)}; polygate: ${formatValue(row, polygateValue(row))}.`;
  const note = notes[row.id] ?? (isMet(row) ? '' : 'Not analyzed yet.');
  return [
    `### ${row.title}`,
    row.method,
    `![${row.title}](benchmarks/${row.id}.svg)`,
    [target, behind].filter(Boolean).join(' '),
    note,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A table of `raw`, polygate, and the client of this name, which is polygate with another option. */
function variantTable(rows: readonly OptionRow[], name: string, title: string): string {
  const cell = (value = Number.NaN) => number.format(value);
  return [
    `| Benchmark | raw | polygate | polygate ${title} |`,
    '| --- | --: | --: | --: |',
    ...rows.map(
      (row) =>
        `| ${row.title} | ${row.baseline} | ${cell(row.values.polygate)} | ${cell(row.values[name])} |`,
    ),
  ].join('\n');
}

function http2Table(rows: readonly OptionRow[]): string {
  const cell = (value = Number.NaN) => number.format(value);
  const names = ['polygate', 'polygate-node-fetch', 'polygate-http2'];
  return [
    '| Benchmark | raw | polygate | over nodeFetch | over nodeFetch and HTTP/2 |',
    '| --- | --: | --: | --: | --: |',
    ...rows.map(({ title, baseline, values }) => {
      const cells = names.map((name) => cell(values[name]));
      return `| ${title} | ${baseline} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

function telemetryTable(rows: readonly OptionRow[]): string {
  return [
    '| Benchmark | polygate | polygate with OpenTelemetry |',
    '| --- | --: | --: |',
    ...rows.map(({ title, baseline, values }) => {
      const value = number.format(values['polygate-telemetry'] ?? Number.NaN);
      return `| ${title} | ${baseline} | ${value} |`;
    }),
  ].join('\n');
}

function queueTable(rows: readonly QueueRow[]): string {
  const cell = (value: number | undefined) => (value === undefined ? '–' : number.format(value));
  return [
    '| Benchmark | BullMQ alone | GenerationQueue |',
    '| --- | --: | --: |',
    ...rows.map(
      ({ title, values }) => `| ${title} | ${cell(values.plain)} | ${cell(values.rows)} |`,
    ),
  ].join('\n');
}

function limitsTable(rows: readonly LimitsRow[]): string {
  const cell = (value: number) => `${Math.round(value)} µs`;
  return [
    '| Benchmark | without limits | `memoryStore()` | `redisStore()` |',
    '| --- | --: | --: | --: |',
    ...rows.map(
      ({ title, values: { none, memory, redis } }) =>
        `| ${title} | ${cell(none)} | ${cell(memory)} | ${cell(redis)} |`,
    ),
  ].join('\n');
}

/** Renders docs/benchmarks.md. */
export function page(report: Report): string {
  const {
    machine,
    node,
    versions,
    seconds,
    rows,
    nodeFetch,
    http2,
    hooks,
    telemetry,
    queue,
    limits,
  } = report;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const lost = rows.filter((row) => !isMet(row) || betterClients(row).length > 0);
  return `# Benchmarks

This page compares polygate with other clients. All clients ran on one machine against one local server in a separate
process. Each client runs in its own process, and the clients take turns within one run. Every result is verified: the text
of each completion, the number of chunks and characters of each stream, and the URL of each task. Ratios are calculated per
round; the table shows their median. Rows with a unit show absolute values. Lower is better.

| | |
| --- | --- |
| Machine | ${machine} |
| Node.js | ${node} |
| Clients | ${packages.join(', ')} |
| Duration | ${seconds} s |

Absolute times depend on the machine and its load. On a shared processor, a ratio can vary by 25%, so repeat the run before
you trust a small difference.

${table(rows)}

\`raw\` is the absolute value of the baseline: \`fetch\` and \`JSON.parse\`, without the error handling, timeouts, retries and
validation of a client. A dash means that the client does not support this work.

## Missed targets and better clients

${lost.map((row) => `- ${row.title}: ${[isMet(row) ? '' : `above its target of ${formatValue(row, row.target)}`, betterClients(row).length > 0 ? `behind ${betterClients(row).join(', ')}` : ''].filter(Boolean).join('; ')}.`).join('\n') || 'None in this run.'}

## Results in detail

${rows.map(section).join('\n\n')}

## What nodeFetch saves

[\`nodeFetch\`](runtimes.md#nodefetch) sends on undici's own HTTP client in place of the global \`fetch\`, which uses the same
package in another way. All three take turns. User and system CPU time relative to \`raw\`.

${variantTable(nodeFetch, 'polygate-node-fetch', 'over nodeFetch')}

${notes.nodeFetch}

Over TLS, with HTTP/1.1 and with \`nodeFetch({ http2: true })\`; the global \`fetch\` of Node 24 uses HTTP/1.1:

${http2Table(http2)}

${notes.http2}

## What hooks cost

[Hooks](hooks.md) make the client send through ky. The client with hooks has two that do nothing: one \`beforeRequest\` and
one \`afterResponse\` hook. All three take turns. User and system CPU time relative to \`raw\`.

${variantTable(hooks, 'polygate-hooks', 'with hooks')}

${notes.hooks}

## What telemetry costs

A client without the option \`telemetry\` is measured in all other rows. Here, one of two clients has \`openTelemetry()\` with
the tracer and meter providers of the OpenTelemetry SDK, its context manager for Node, and exporters that discard spans and
metrics. User and system CPU time relative to polygate without telemetry.

${telemetryTable(telemetry)}

${notes.telemetry}

## What a queue costs

A \`GenerationQueue\` with one worker and \`concurrency: 50\`, next to BullMQ with as many jobs that hold only the params
and whose processor does nothing. Of rates, higher is better.
Each measurement runs in a process of its own, with a Redis without persistence on the same machine; the two take turns
where they do the same work. The service is a function in the process of the worker that responds immediately and reports a
limit of 1,000, so that neither HTTP nor a server limits the rate; its CPU time is included. All tasks run until 15 s
after the last submission.

${queueTable(queue)}

${notes.queue}

## What limits per user cost

A chat that the [proxy](user-limits.md) forwards, without \`limits\` and with all of them, for 100 users. The handler runs in
a process of its own and is called directly, so its times include the request to the gateway. Redis runs on the same
machine, without persistence; its own CPU time is not included.

${limitsTable(limits)}

${notes.limits}

## Run the benchmarks

\`npm run bench\` runs the benchmarks and generates this page; do not edit it. The raw numbers are in
[benchmarks/results.json](benchmarks/results.json). To profile one client:
\`node test/bench/profile.ts <client> <job> [cpu|allocations|live]\`. To measure single rows after a build:
\`node test/bench/run.ts <request|stream|first|poll|heap|size|cold|types|node-fetch|http2|hooks|telemetry|queue|limits>\`.
`;
}
