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

/** A row that misses its target, or in which another client is better, and why. */
function miss(row: Row): string {
  const better = betterClients(row);
  const parts = [
    isMet(row)
      ? ''
      : `${formatValue(row, polygateValue(row))} is above the target of ${formatValue(row, row.target)}`,
    better.length > 0 ? `better: ${better.join(', ')}` : '',
  ];
  const note = notes[row.id];
  return `- **${row.title}**: ${parts.filter(Boolean).join('; ')}.${note === undefined ? '' : ` ${note}`}`;
}

/** The values of polygate with and without an option. The first two rows are requests in parallel and in sequence. */
function variant(rows: readonly OptionRow[], name: string): string {
  const cell = (value = Number.NaN) => number.format(value);
  return rows
    .slice(0, 2)
    .map(({ title, values }) => `${title} ${cell(values[name])} (without ${cell(values.polygate)})`)
    .join(', ');
}

function telemetryCosts(rows: readonly OptionRow[]): string {
  return rows
    .slice(0, 2)
    .map(
      ({ title, values }) =>
        `${title} ${number.format(values['polygate-telemetry'] ?? Number.NaN)}`,
    )
    .join(', ');
}

function queueCosts(rows: readonly QueueRow[]): string {
  return rows
    .flatMap(({ title, values: { plain, rows: value } }) =>
      plain === undefined
        ? []
        : [`${title}: ${number.format(value)} (BullMQ alone ${number.format(plain)})`],
    )
    .join('; ');
}

function limitsCosts(rows: readonly LimitsRow[]): string {
  const cell = (value: number) => `${Math.round(value)} µs`;
  return rows
    .map(
      ({ title, values: { none, memory, redis } }) =>
        `${title} ${cell(none)} without, ${cell(memory)} with \`memoryStore()\`, ${cell(redis)} with \`redisStore()\``,
    )
    .join(', ');
}

/** What options of the client and the proxy cost, as far as they were measured. */
function options({ nodeFetch, http2, hooks, telemetry, queue, limits }: Report): string {
  return [
    nodeFetch.length > 0 &&
      `- [\`nodeFetch\`](runtimes.md#nodefetch): ${variant(nodeFetch, 'polygate-node-fetch')}.`,
    http2.length > 0 &&
      `- [HTTP/2](runtimes.md#http2) over \`nodeFetch\`, with one connection in place of 64: ${variant(http2, 'polygate-http2')}.`,
    hooks.length > 0 &&
      `- [Hooks](hooks.md), one of each kind: ${variant(hooks, 'polygate-hooks')}.`,
    telemetry.length > 0 &&
      `- [OpenTelemetry](observability.md), relative to none: ${telemetryCosts(telemetry)}.`,
    queue.length > 0 &&
      `- [Queue on Redis](many-machines.md), one worker with \`concurrency: 50\`; of rates, higher is better: ${queueCosts(queue)}.`,
    limits.length > 0 &&
      `- [Limits per user](user-limits.md), per request: ${limitsCosts(limits)}.`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

/** Renders docs/benchmarks.md. */
export function page(report: Report): string {
  const { machine, node, versions, seconds, rows } = report;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const lost = rows.filter((row) => !isMet(row) || betterClients(row).length > 0);
  return `# Benchmarks

All clients ran on one machine against one local server in a separate process, each in a process of its own, in turns. Every result
is verified. Ratios are the median over rounds; rows with a unit show absolute values. Lower is better. On a shared processor, a
ratio can vary by 25%.

${table(rows)}

\`raw\` is the absolute value of the baseline: \`fetch\` and \`JSON.parse\`, without the error handling, timeouts, retries and
validation of a client. A dash means that the client does not support this work. The machine was ${machine}, with Node.js ${node}; the
run took ${seconds} s, with ${packages.join(', ')}.

## Misses

${lost.map(miss).join('\n') || 'None in this run.'}

## Options

User and system CPU time relative to \`raw\`, if no unit is given.

${options(report)}

## Run the benchmarks

\`npm run bench\` runs them and generates this page; do not edit it. The raw numbers are in
[benchmarks/results.json](benchmarks/results.json). To profile a client:
\`node test/bench/profile.ts <client> <job> [cpu|allocations|live]\`. To measure single rows after a build:
\`node test/bench/run.ts <request|stream|first|poll|heap|size|cold|types|node-fetch|http2|hooks|telemetry|queue|limits>\`.
`;
}
