/** The index of the documentation for language models, in the format of llmstxt.org. */
import { readFileSync } from 'node:fs';

import { contents } from './contents.ts';

/** Returns the text of `llms.txt`. `link` returns the link to a file. */
export function llmsIndex(link: (path: string) => string): string {
  const { name, description } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const entries = contents();
  const sections = Array.from(new Set(entries.map(({ section }) => section)), (section) => {
    const lines = entries
      .filter((entry) => entry.section === section)
      .map(({ title, path, description: text }) => `- [${title}](${link(path)}): ${text}`);
    return `## ${section}\n\n${lines.join('\n')}`;
  });
  return `# ${name}

> ${description}

Install the package with \`npm install ${name}\` and import the client with \`import { Polygate } from '${name}'\`. To try it
without an API key, start the reference gateway with \`npx ${name}-mock\`. Params keep the service's snake_case names. Never
pay for a task twice: wait for \`error.task\`, or resubmit with the same \`idempotencyKey\`.

${sections.join('\n\n')}
`;
}
