/** Full-text search of the pages, which runs in the browser. */
import type { DefaultTheme } from 'vitepress';

import { namespaces } from '../../scripts/api-names.ts';
import { sourceOf } from './links.ts';

type LocalSearch = Extract<DefaultTheme.Config['search'], { provider: 'local' }>;

export const search: LocalSearch = {
  provider: 'local',
  options: {
    detailedView: true,
    miniSearch: {
      // The browser compiles these functions from their source: they cannot use anything outside themselves.
      options: {
        // A qualified name such as `images.generate` is a word, and so are its parts.
        tokenize: (text: string) => {
          const words = text.split(/[^\p{L}\p{N}_]+/u);
          const names = text.match(/[a-z]\w*(?:\.[a-zA-Z]\w*)+/g) ?? [];
          return [
            ...words,
            ...names.flatMap((name) => [name, name.replace(/^gateway\./, '')]),
          ].filter((word) => word !== '');
        },
        // "logging" also finds "log" and "logs".
        processTerm: (term: string) =>
          term
            .toLowerCase()
            .replace(/^(?=[^aeiou]*[aeiou]\w*(?:ing|ed|s)$)(\w{2,}?(\w))\2?(?:ing|ed|s)$/, '$1'),
      },
      searchOptions: {
        // A number is never a typo of another one.
        fuzzy: (term: string) => (/[\d.]/.test(term) ? false : 0.2),
        prefix: true,
        // `budget` is first of all a word, and only then the beginning of `BudgetExceededError`.
        weights: { prefix: 0.1, fuzzy: 0.1 },
        boost: { title: 4, text: 2, titles: 1 },
        // Guides explain; the API reference and the lists of changes only mention. A page precedes its sections, and the
        // API reference everything else if a member is named.
        boostDocument: (id: string, term: string, fields?: Record<string, unknown>) => {
          // The guide for a word that many guides mention.
          const guides: Record<string, string> = {
            abort: 'timeouts',
            cancel: 'timeouts',
            budget: 'costs',
            clone: 'voices',
            corporate: 'runtimes',
            crash: 'payment-safety',
            idempotency: 'payment-safety',
            lost: 'payment-safety',
            receipt: 'payment-safety',
            refund: 'payment-safety',
            retry: 'payment-safety',
            token: 'costs',
            undici: 'runtimes',
            vercel: 'serverless-and-edge',
            webhook: 'faq',
          };
          const titles = fields?.['titles'];
          const ofPage = Array.isArray(titles) && titles.length === 0 ? 1.6 : 1;
          const guide = guides[term];
          if (guide !== undefined && id.startsWith(`/guides/${guide}.html`)) return 8 * ofPage;
          const isReference = id.startsWith('/api/');
          if (term.includes('.')) return isReference ? 20 : 0.2;
          if (/^\/guides\/(?:changelog|benchmarks)/.test(id)) return 0.2;
          if (isReference || /^\/(?:examples|guides\/(?:contributing|playground))/.test(id))
            return 0.06;
          if (/^\/guides\/(?:faq|migrating|assumptions)/.test(id)) return 0.7;
          return ofPage;
        },
      },
    },
    _render(source, env, md) {
      const path = sourceOf(env);
      return md.render(path.startsWith('docs/api/') ? summaryOf(source) : withStatus(source), env);
    },
  },
};

/** Adds the status of an error to the heading of its section, so that a search for 402 leads there. */
function withStatus(source: string): string {
  return source.replaceAll(
    /^### (\w+Error)\n\n(\d{3})(?=:)/gm,
    (_, name: string, status: string) =>
      `### ${name} ${status} {#${name.toLowerCase()}}\n\n${status}`,
  );
}

/** The description of an export and the names of its members, which keeps the index small. */
function summaryOf(source: string): string {
  const [intro = ''] = source.replaceAll(/^(?:```.*?^```|>.*?)$/gms, '').split(/^## /m);
  const members = Array.from(source.matchAll(/^### (\w+)/gm), ([, name = '']) => name);
  const title = /^# (.+)$/m.exec(source)?.[1] ?? '';
  const isNamespace = Object.values(namespaces).includes(title);
  const names = isNamespace
    ? title.split(', ').flatMap((namespace) => members.map((member) => `${namespace}.${member}`))
    : members;
  return `${intro}\n\n${names.join(' ')}\n`;
}
