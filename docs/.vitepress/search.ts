/** Full-text search of the pages, which runs in the browser. */
import type { DefaultTheme } from 'vitepress';

import { namespaces } from '../../scripts/api-names.ts';
import { corrected } from './corrections.ts';
import { sourceOf } from './links.ts';
import { home } from './pages.ts';

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
        // "logging" also finds "log" and "logs". A qualified name is no word that begins with its namespace.
        processTerm: (term: string) =>
          term
            .toLowerCase()
            .replace(/^(?=.*\.)/, '.')
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
          const isReference = id.startsWith('/api/');
          if (term.startsWith('.')) return isReference ? 20 : 0.2;
          if (/^\/guides\/(?:changelog|benchmarks)/.test(id)) return 0.2;
          if (isReference || /^\/(?:examples|guides\/contributing)/.test(id)) return 0.06;
          const titles = fields?.['titles'];
          const ofPage = Array.isArray(titles) && titles.length === 0 ? 4 : 1;
          return /^\/guides\/(?:faq|migrating|assumptions)/.test(id) ? 0.7 * ofPage : ofPage;
        },
      },
    },
    disableQueryPersistence: true,
    _render(source, env, md) {
      const path = sourceOf(env);
      // They only lead to other pages.
      if (path === home || path === 'docs/README.md') return '';
      if (path.startsWith('docs/api/')) return md.render(summaryOf(source), env);
      return md.render(withKeywords(withStatus(source), path), env);
    },
  },
};

/** What users call the subject of a guide, in other words than its own. A search for them finds the page first. */
const keywords: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog release upgrade',
  'docs/batches.md': 'bulk crash journal kill',
  'docs/browsers-and-proxy.md': 'cors frontend',
  'docs/client-options.md': 'api key base url environment variable',
  'docs/command-line.md': 'cli terminal',
  'docs/costs.md': 'balance budget maxUsd price spend token usage',
  'docs/errors.md': 'rate limit 429 402',
  'docs/faq.md': 'embeddings vision litellm openrouter',
  'docs/images-video-and-audio.md':
    'save download image reference video from music audio text to speech tts',
  'docs/many-machines.md': 'bullmq queue redis worker',
  'docs/materials.md': 'upload file asset',
  'docs/payment-safety.md':
    'double charge charged duplicate idempotency key lost receipt refund retry twice',
  'docs/quick-start.md': 'install installation npm pnpm yarn bun setup',
  'docs/runtimes.md': 'corporate certificate proxy undici',
  'docs/serverless-and-edge.md': 'lambda vercel',
  'docs/structured-output-and-tools.md': 'function calling',
  'docs/testing.md': 'jest mock msw vitest',
  'docs/timeouts.md': 'abort cancel deadline',
  'docs/voices.md': 'clone',
};

/** Adds keywords to the beginning of a page. They are repeated, because they count more than a mention. */
function withKeywords(source: string, path: string): string {
  const words = keywords[path];
  if (words === undefined) return source;
  return source.replace(/^# .*\n/m, (title) => `${title}\n${`${words} `.repeat(5)}\n`);
}

/**
 * What the box of VitePress lacks. While the index loads, it shows an empty list. Screen readers hear that the box is a
 * button and that each result is an option with a link in it, both with names that differ from their texts.
 */
export const searchBox = corrected(
  'VPLocalSearchBox',
  new Map([
    [
      `<li
            v-if="filterText && !results.length && enableNoResults"`,
      `<li v-if="!searchIndex" class="no-results"><span role="status">Loading …</span></li>
          <li
            v-if="filterText && !results.length && enableNoResults"`,
    ],
    [
      `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
      aria-labelledby="localsearch-label"`,
      'role="dialog" aria-modal="true" aria-label="Search"',
    ],
    [
      `aria-labelledby="localsearch-label"
            autocapitalize="off"`,
      `role="combobox" :aria-expanded="results?.length > 0" aria-haspopup="listbox" :aria-label="buttonText"
            autocapitalize="off"`,
    ],
    [
      `:aria-labelledby="results?.length ? 'localsearch-label' : undefined"`,
      `:aria-label="results?.length ? 'Results' : undefined"`,
    ],
    [
      `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`,
      'role="none"',
    ],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `:id="'localsearch-item-' + index" role="option" :aria-selected="selectedIndex === index"`,
    ],
    ['<span class="title-icon">', '<span class="title-icon" aria-hidden="true">'],
    ['<kbd :aria-label', '<kbd role="img" :aria-label'],
  ]),
);

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
