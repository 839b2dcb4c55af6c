/** One page per example, with its source. */
import { readFileSync } from 'node:fs';

import { examples, root } from '../.vitepress/pages.ts';

const outputs: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('docs/site/outputs.json', root), 'utf8'),
);

export default {
  paths: () =>
    examples.map((path) => {
      const name = path.replace('examples/', '');
      const source = readFileSync(new URL(path, root), 'utf8');
      const example = name.replace(/\.ts$/, '');
      const output = outputs[example];
      const printed = output === undefined ? '' : `\n## Output\n\n\`\`\`text\n${output}\n\`\`\`\n`;
      return { params: { example, name }, content: `\`\`\`ts\n${source}\`\`\`\n${printed}` };
    }),
};
