/** One page per example, with its source. */
import { readFileSync } from 'node:fs';

import { examples, root } from '../.vitepress/pages.ts';

export default {
  paths: () =>
    examples.map((path) => {
      const name = path.replace('examples/', '');
      const source = readFileSync(new URL(path, root), 'utf8');
      const params = { example: name.replace(/\.ts$/, ''), name };
      return { params, content: `\`\`\`ts\n${source}\`\`\`\n` };
    }),
};
