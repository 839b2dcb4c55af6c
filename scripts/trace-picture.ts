/** Runs examples/trace-lost-response.ts and draws its output as docs/images/trace.svg, in colors for light and dark pages. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathTo = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const output = execFileSync(
  process.execPath,
  ['--import', './test/from-source.ts', 'examples/trace-lost-response.ts'],
  { cwd: pathTo(''), env: { ...process.env, FORCE_COLOR: '1' }, encoding: 'utf8' },
);

const [columnWidth, lineHeight, margin] = [8, 19, 18];
const columns = 100;

/** Class of the text that follows an escape sequence. */
const styles: Readonly<Record<string, string>> = {
  2: 'dim',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};

const lines = output.trimEnd().split('\n');
const width = columns * columnWidth + 2 * margin;
const height = lines.length * lineHeight + 2 * margin;
const shapes = lines
  .flatMap((line, index) => drawLine(line, margin + index * lineHeight))
  .filter(Boolean);

writeFileSync(
  pathTo('docs/images/trace.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A trace in the terminal</title>
<style>
:root { --back: #fff; --edge: #d8dae5; --text: #22242e; --dim: #6a6e80; --cyan: #4f7fd9; --green: #2a9d5c; --yellow: #a15c00 }
@media (prefers-color-scheme: dark) {
:root { --back: #14151c; --edge: #34374a; --text: #e6e7ef; --dim: #9497a8; --cyan: #6f9cf0; --green: #4cc38a; --yellow: #e9b44c }
}
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: var(--text) }
path { fill: none; stroke: var(--dim) }
.dim { fill: var(--dim) }
.cyan { fill: var(--cyan) }
.green { fill: var(--green) }
.yellow { fill: var(--yellow) }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="var(--back)" stroke="var(--edge)"/>
${shapes.join('\n')}
</svg>
`,
);

function drawLine(line: string, top: number): string[] {
  let column = 0;
  let style = '';
  return line.split('\u001B[').flatMap((part, index) => {
    const [, code = '', plain = part] = (index > 0 && /^(\d+)m(.*)$/.exec(part)) || [];
    style = styles[code] ?? '';
    // Fonts differ in the shape of lines and blocks, so those are drawn.
    return (plain.match(/█+|[│├└─◆]| +|[^│├└─◆█ ]+(?: [^│├└─◆█ ]+)*/g) ?? []).map((text) => {
      const x = margin + column * columnWidth;
      column += text.length;
      return drawText(text, x, top, style);
    });
  });
}

function drawText(text: string, x: number, top: number, style: string): string {
  const length = text.length * columnWidth;
  const [middle, center] = [top + lineHeight / 2, x + columnWidth / 2];
  const right = x + columnWidth;
  switch (text[0]) {
    case ' ':
      return '';
    case '█':
      return `<rect class="${style}" x="${x}" y="${top + 3}" width="${length}" height="${lineHeight - 6}" rx="2"/>`;
    case '◆':
      return `<path class="${style}" d="M${center} ${middle - 5}l5 5l-5 5l-5 -5z" style="stroke: none"/>`;
    case '│':
      return `<path d="M${center} ${top}v${lineHeight}"/>`;
    case '├':
      return `<path d="M${center} ${top}v${lineHeight}M${center} ${middle}H${right}"/>`;
    case '└':
      return `<path d="M${center} ${top}V${middle}H${right}"/>`;
    case '─':
      return `<path d="M${x} ${middle}h${columnWidth}"/>`;
    default: {
      const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const y = top + lineHeight * 0.72;
      return `<text class="${style}" x="${x}" y="${y.toFixed(1)}" textLength="${length}">${safe}</text>`;
    }
  }
}
