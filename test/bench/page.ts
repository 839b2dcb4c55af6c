import { notes } from './notes.ts';
import type { Row } from './row.ts';

/** The run as a whole. */
export interface Report {
  /** Kind of machine, never its name. */
  readonly machine: string;
  readonly node: string;
  /** By package. */
  readonly versions: Record<string, string>;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });

/** A value with its unit. */
export function show({ unit }: Row, value: number): string {
  const shown = number.format(Math.abs(value) >= 1_000 ? Math.round(value) : value);
  return unit === '×' ? shown : `${shown}${unit && ` ${unit}`}`;
}

function ours({ values }: Row): number {
  return values.polygate ?? Number.NaN;
}

function isMet(row: Row): boolean {
  return ours(row) <= row.target;
}

/** Who does better than polygate, best first. */
function ahead({ values, ...row }: Row): string[] {
  return Object.entries(values)
    .filter(([name, value]) => name !== 'raw' && value < (values.polygate ?? 0))
    .toSorted(([, one], [, other]) => one - other)
    .map(([name, value]) => `${name} (${show({ ...row, values }, value)})`);
}

function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))].filter(
    (name) => name !== 'raw' && name !== 'polygate',
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['same work', 'raw', ...names, 'polygate', 'target']),
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
        row.limit ?? cell('raw'),
        ...names.map(cell),
        `**${cell('polygate')}**`,
        `${row.target}${verdict}`,
      ]);
    }),
  ].join('\n');
}

function section(row: Row): string {
  const better = ahead(row);
  const behind = better.length > 0 ? `Ahead of polygate: ${better.join(', ')}.` : '';
  const target = `Target: ${show(row, row.target)}; polygate: ${show(row, ours(row))}.`;
  const note = notes[row.id] ?? (isMet(row) ? '' : 'Not explained yet.');
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

/** The page about a run. */
export function page({ machine, node, versions, seconds, rows }: Report): string {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const lost = rows.filter((row) => !isMet(row) || ahead(row).length > 0);
  return `# Benchmarks

Written by \`npm run bench\`; do not edit. polygate beside other clients, on one machine, against one local server in a
process of its own, in turns within one run. Each client runs in a process of its own, and every answer is checked:
the text of each completion and of each stream, the URL of each task. Ratios are taken round by
round, and what is shown is their median; lower is better throughout.

| | |
| --- | --- |
| machine | ${machine} |
| Node | ${node} |
| clients | ${packages.join(', ')} |
| whole run | ${seconds} s |

Noise: the absolute times belong to this machine and its load at the time. Where other programs share the processor, a
ratio may be a quarter off (a client cannot beat the limit); run it twice before you believe a small difference.

${table(rows)}

\`raw\` is what the limit took by itself: \`fetch\` and \`JSON.parse\`, with none of what a client adds (no errors, no
timeouts, no retries, no checks). A dash: that client cannot do the work.

## Where polygate loses

${lost.map((row) => `- ${row.title}: ${[isMet(row) ? '' : `over its target of ${show(row, row.target)}`, ahead(row).length > 0 ? `behind ${ahead(row).join(', ')}` : ''].filter(Boolean).join('; ')}.`).join('\n') || 'Nowhere in this run.'}

## Row by row

${rows.map(section).join('\n\n')}

The same numbers as JSON: [benchmarks/results.json](benchmarks/results.json). To see where the time goes:
\`node test/bench/profile.ts <client> <request|small|large|first|wait>\`.
`;
}
