/** Writes what can be made out of other files: llms.txt and the table in docs/assumptions.md. */
import { readFileSync, writeFileSync } from 'node:fs';

import { assumptions } from '../src/core/config/assumptions.ts';
import { defaultAssumptions } from '../src/mock/assumptions.ts';
import { contents } from './contents.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Each generated file as it should be, by its path. */
export function generated(): Map<string, string> {
  return new Map([
    ['llms.txt', llms()],
    [
      'docs/assumptions.md',
      read('docs/assumptions.md').replace(
        /(<!-- generated: assumptions -->\n)[^]*(<!-- \/generated -->)/,
        (_, before: string, after: string) => `${before}\n${assumptionsTable()}\n\n${after}`,
      ),
    ],
  ]);
}

/** A map of the documentation for language models, in the form that llmstxt.org describes. */
function llms(): string {
  const { name, description } = JSON.parse(read('package.json'));
  const entries = contents();
  const sections = Array.from(new Set(entries.map(({ section }) => section)), (section) => {
    const lines = entries
      .filter((entry) => entry.section === section)
      .map(({ title, path, about }) => `- [${title}](${path}): ${about}`);
    return `## ${section}\n\n${lines.join('\n')}`;
  });
  return `# ${name}

> ${description}

Install it with \`npm install ${name}\`. \`import { Polygate } from '${name}'\` is the client; \`npx ${name}-mock\` starts a
gateway to try it with, without a key. Params keep the service's own snake_case names. Never submit a paid task twice: wait
for \`error.task\`, or ask again with the same \`idempotencyKey\`.

- [README](README.md): all of it on one page

${sections.join('\n\n')}
`;
}

function assumptionsTable(): string {
  const code = (text?: string | number | null) => (text == null ? '' : `\`${text}\``);
  const switches: Readonly<Record<string, string | number>> = { ...defaultAssumptions };
  return table([
    ['ID', 'Gap', 'Assumption', 'Option', 'Mock default'],
    ...assumptions.map(({ id, gap, assume, override }) => [
      id,
      gap,
      assume,
      code(override),
      code(switches[id]),
    ]),
  ]);
}

/** A table as the formatter writes it. */
function table(rows: string[][]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n');
}

if (import.meta.main) {
  for (const [path, text] of generated()) writeFileSync(new URL(path, root), text);
}
