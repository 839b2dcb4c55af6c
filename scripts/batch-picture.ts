/** Runs `polygate batch` with examples/prompts.csv and draws its output as docs/images/batch.svg, for light and dark pages. */
import { exec } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createMockGateway } from '../src/mock/index.ts';
import { listen } from '../src/mock/node/index.ts';
import { escapeXml } from '../src/mock/page.ts';
import { rowText } from '../src/tools/cli/batch/batch-run.ts';
import { progressBar } from '../src/tools/cli/batch/progress.ts';

const pathTo = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const [columnWidth, lineHeight, margin, columns] = [8, 19, 18, 84];

/** The run takes 5 seconds, of which 3 have passed at the moment of the bar below. */
const mock = createMockGateway({ tasks: { durationMs: 3500 } });
const server = await listen(mock);
const folder = mkdtempSync(join(tmpdir(), 'polygate-picture-'));
copyFileSync(pathTo('examples/prompts.csv'), join(folder, 'prompts.csv'));

const command = `polygate batch prompts.csv -m prism-image -o 'out/{id}.{ext}' --max-usd 5`;
const program = [
  process.execPath,
  '--import',
  pathTo('test/from-source.ts'),
  pathTo('src/tools/cli/polygate.ts'),
];
const script = command.replace('polygate', program.map((part) => `'${part}'`).join(' '));
const env = { ...process.env, POLYGATE_BASE_URL: server.baseURL, POLYGATE_API_KEY: mock.apiKey };
const { stdout } = await promisify(exec)(`${script} 2>&1 < /dev/null`, { cwd: folder, env });
await server.close();
const results = readFileSync(join(folder, 'prompts.csv.results.jsonl'), 'utf8');
rmSync(folder, { recursive: true });

const before = stdout.trimEnd().split('\n').slice(0, 3);
const after = stdout.trimEnd().split('\n').slice(3);
/** A moment in the middle, as a terminal shows it: the last rows that have ended, and the bar. */
const rows = results
  .split('\n')
  .slice(14, 18)
  .map((line) => rowText(JSON.parse(line), String));
const bar = progressBar(
  { total: 30, done: 18, failed: 0, running: 8, usd: 0.38, doneBefore: 0, elapsedMs: 3000 },
  columns - 3,
);
const lines = [`$ ${command}`, ...before, ...rows, `⠼ ${bar}`, ...after];
const width = columns * columnWidth + 2 * margin;
const height = lines.length * lineHeight + 2 * margin;

writeFileSync(
  pathTo('docs/images/batch.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>polygate batch in a terminal</title>
<style>
:root { --back: #fff; --edge: #d8dae5; --text: #22242e; --cyan: #4f7fd9 }
@media (prefers-color-scheme: dark) {
:root { --back: #14151c; --edge: #34374a; --text: #e6e7ef; --cyan: #6f9cf0 }
}
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: var(--text) }
.cyan { fill: var(--cyan) }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="var(--back)" stroke="var(--edge)"/>
${lines.map(drawLine).join('\n')}
</svg>
`,
);

function drawLine(line: string, index: number): string {
  const y = margin + index * lineHeight + 14;
  const style = /^[$⠼]/.test(line) ? ' class="cyan"' : '';
  return `<text${style} x="${margin}" y="${y}">${escapeXml(line)}</text>`;
}
