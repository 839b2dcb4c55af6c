/** Generates llms.txt and the table in docs/assumptions.md. */
import { readFileSync, writeFileSync } from 'node:fs';

import { assumptions } from '../src/core/config/assumptions.ts';
import { defaultAssumptions } from '../src/mock/assumptions.ts';
import { contents } from './contents.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Returns the content of each generated file, by path. */
export function generatedFiles(): Map<string, string> {
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

/** An index of the documentation for language models, in the format of llmstxt.org. */
function llms(): string {
  const { name, description } = JSON.parse(read('package.json'));
  const entries = contents();
  const sections = Array.from(new Set(entries.map(({ section }) => section)), (section) => {
    const lines = entries
      .filter((entry) => entry.section === section)
      .map(({ title, path, description: text }) => `- [${title}](${path}): ${text}`);
    return `## ${section}\n\n${lines.join('\n')}`;
  });
  return `# ${name}

> ${description}

Install the package with \`npm install ${name}\` and import the client with \`import { Polygate } from '${name}'\`. To try it
without an API key, start the reference gateway with \`npx ${name}-mock\`. Params keep the service's snake_case names. Never
pay for a task twice: wait for \`error.task\`, or resubmit with the same \`idempotencyKey\`.

- [README](README.md): a one-page overview

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

/** A Markdown table with aligned columns, as the formatter prints it. */
function table(rows: string[][]): string {
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const delimiter = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), delimiter, ...rows.slice(1).map(line)].join('\n');
}

if (import.meta.main) {
  for (const [path, text] of generatedFiles()) writeFileSync(new URL(path, root), text);
}
