import { escapeXml } from '../../src/mock/page.ts';
import type { Report, Row } from './row.ts';

// Draws rows of the benchmarks as SVG: one panel per row, with one dot per client on a logarithmic scale. All dots look
// the same, because the distance to the line of the baseline says everything. Each value is also printed, and the
// description has all of them as text.

/** A file with some of the rows, in their order. */
interface Plot {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

const plots: readonly Plot[] = [
  { file: 'requests', title: 'Requests', ids: ['request', 'request-sequence', 'cold-start'] },
  { file: 'streams', title: 'Streams', ids: ['chunk-small', 'chunk-large', 'first-text'] },
  {
    file: 'tasks',
    title: 'Waiting for tasks',
    ids: ['poll-1000', 'poll', 'wait', 'stall', 'sockets', 'memory', 'heap'],
  },
  { file: 'sizes', title: 'Sizes and types', ids: ['full', 'chat-only', 'types'] },
  {
    file: 'node-fetch',
    title: 'polygate over nodeFetch',
    ids: ['node-fetch-parallel', 'node-fetch-sequence', 'node-fetch-poll', 'node-fetch-stream'],
  },
];

type Panel = Pick<Row, 'id' | 'title' | 'unit' | 'values' | 'baseline'>;

const [width, labelWidth, valueWidth, margin] = [720, 230, 64, 18];
const [titleHeight, lineHeight, gap] = [24, 20, 16];
const plotWidth = width - labelWidth - valueWidth - 2 * margin;

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** The package of each client, whose version is shown. */
const packages: Readonly<Record<string, string>> = {
  openrouter: '@openrouter/sdk',
  fal: '@fal-ai/client',
  runway: '@runwayml/sdk',
  'ai-sdk': 'ai',
};

/** The names of files and what they contain. */
export function drawPlots(report: Report): Map<string, string> {
  return new Map(plots.map((plot) => [`${plot.file}.svg`, draw(plot, report)]));
}

/** What Markdown shows: the plots with short texts, because the table has the values. */
export const plotLinks = plots
  .map(({ file, title }) => `![${title}, as in the table](benchmarks/${file}.svg)`)
  .join('\n\n');

function panelsOf({ ids }: Plot, { rows, nodeFetch }: Report): Panel[] {
  const all: Panel[] = [...rows, ...nodeFetch.map((row) => ({ ...row, unit: '×' }))];
  return ids.flatMap((id) => all.filter((row) => row.id === id));
}

function labelOf(name: string, { versions, node }: Report): string {
  if (name === 'raw') return `fetch of Node ${node}`;
  if (name === 'polygate-node-fetch') return `polygate, undici ${versions.undici}`;
  return `${name} ${versions[packages[name] ?? name] ?? ''}`.trim();
}

/** The unit of a panel in words. */
function unitOf({ unit, baseline }: Panel): string {
  if (unit === '×') return baseline === undefined ? 'relative' : `relative to fetch (${baseline})`;
  return unit;
}

function draw(plot: Plot, report: Report): string {
  const panels = panelsOf(plot, report);
  let top = margin + 26;
  const shapes = panels.map((panel) => {
    const shape = drawPanel(panel, report, top);
    top += titleHeight + Object.keys(panel.values).length * lineHeight + gap;
    return shape;
  });
  const source = `${report.machine}, Node ${report.node}, ${report.date}. Logarithmic scales; less is better.`;
  const height = top + margin;
  const description = panels.map((panel) => {
    const values = Object.entries(panel.values).map(
      ([name, value]) => `${labelOf(name, report)} ${number.format(value)}`,
    );
    return `${panel.title}, ${unitOf(panel)}: ${values.join(', ')}.`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escapeXml(plot.title)}</title>
<desc id="description">${escapeXml([...description, source].join(' '))}</desc>
<style>
:root { --back: #fff; --edge: #d8dae5; --text: #22242e; --dim: #5c6070; --dot: #4f7fd9 }
@media (prefers-color-scheme: dark) {
:root { --back: #14151c; --edge: #34374a; --text: #e6e7ef; --dim: #a3a6b7; --dot: #6f9cf0 }
}
text { font: 13px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: var(--text) }
.head { font-size: 16px; font-weight: 600 }
.title { font-weight: 600 }
.dim { fill: var(--dim) }
.number { font-variant-numeric: tabular-nums }
path { stroke: var(--edge) }
circle { fill: var(--dot) }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="var(--back)" stroke="var(--edge)"/>
<text class="head" x="${margin}" y="${margin + 12}">${escapeXml(plot.title)}</text>
${shapes.join('\n')}
<text class="dim" x="${margin}" y="${height - margin + 4}">${escapeXml(source)}</text>
</svg>
`;
}

function drawPanel(panel: Panel, report: Report, top: number): string {
  const values = Object.values(panel.values);
  // Ratios include 1, where the baseline is.
  const all = panel.unit === '×' ? [...values, 1] : values;
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const left = margin + labelWidth;
  const xOf = (value: number) =>
    (left + (high > low ? (Math.log(value) - low) / (high - low) : 0) * plotWidth).toFixed(1);
  const names = Object.entries(panel.values).toSorted(([, one], [, other]) => one - other);
  const from = top + titleHeight - 4;
  const baseline =
    panel.unit === '×' ? [`<path d="M${xOf(1)} ${from}v${names.length * lineHeight}"/>`] : [];
  return [
    `<text class="title" x="${margin}" y="${top + 14}">${escapeXml(panel.title)} <tspan class="dim" font-weight="400">${escapeXml(unitOf(panel))}</tspan></text>`,
    ...baseline,
    ...names.flatMap(([name, value], index) => {
      const y = from + (index + 0.5) * lineHeight;
      return [
        `<path d="M${left} ${y}h${plotWidth}" stroke-dasharray="1 5"/>`,
        `<text x="${margin}" y="${y + 4}">${escapeXml(labelOf(name, report))}</text>`,
        `<circle cx="${xOf(value)}" cy="${y}" r="5"/>`,
        `<text class="number" x="${width - margin}" y="${y + 4}" text-anchor="end">${number.format(value)}</text>`,
      ];
    }),
  ].join('\n');
}
