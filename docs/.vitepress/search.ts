/** Full-text search of the pages, which runs in the browser. */
import type { DefaultTheme } from 'vitepress';

import { sourceOf } from './links.ts';

type LocalSearch = Extract<DefaultTheme.Config['search'], { provider: 'local' }>;

export const search: LocalSearch = {
  provider: 'local',
  options: {
    detailedView: true,
    miniSearch: {
      // The browser compiles these functions from their source: they cannot use anything outside themselves.
      options: {
        // "logging" also finds "log" and "logs".
        processTerm: (term: string) =>
          term
            .toLowerCase()
            .replace(/^(?=[^aeiou]*[aeiou]\w*(?:ing|ed|s)$)(\w{2,}?(\w))\2?(?:ing|ed|s)$/, '$1'),
      },
      searchOptions: {
        // A number is never a typo of another one.
        fuzzy: (term: string) => (/\d/.test(term) ? false : 0.2),
        prefix: true,
        boost: { title: 4, text: 2, titles: 1 },
        // Guides explain; the API reference and the list of changes only mention.
        boostDocument: (id: string) => (/^\/(?:api\/|guides\/changelog)/.test(id) ? 0.3 : 1),
      },
    },
    _render(source, env, md) {
      const path = sourceOf(env);
      return md.render(path.startsWith('docs/api/') ? summaryOf(source) : source, env);
    },
  },
};

/** The description of an export and the names of its members, which keeps the index small. */
function summaryOf(source: string): string {
  const [intro = ''] = source.replaceAll(/^(?:```.*?^```|>.*?)$/gms, '').split(/^## /m);
  const members = Array.from(source.matchAll(/^### (\w+)/gm), ([, name]) => name);
  return `${intro}\n\n${members.join(' ')}\n`;
}
