/** Which file of the repository becomes which page of the site. Links and rewrites both follow from this. */
import { existsSync, globSync } from 'node:fs';
import { posix } from 'node:path';

import { contents } from '../../scripts/contents.ts';

export const root = new URL('../../', import.meta.url);

/** Source files of examples, each of which is shown on a page of its own. */
export const examples = globSync('examples/{*,queue/*}.ts', { cwd: root }).toSorted();

/** The home page. Its text for language models is README.md, and links to README.md lead to it. */
export const home = 'docs/site/home.md';

/** Pages of the site by their files, without the API reference. */
export const pages: ReadonlyMap<string, string> = new Map([
  ['README.md', 'index.md'],
  ['docs/README.md', 'guides/index.md'],
  ...contents().map(({ path }) => [path, guidePage(path)] as const),
  ['SECURITY.md', guidePage('SECURITY.md')],
  ...examples.map((path) => [path, path.replace(/ts$/, 'md')] as const),
]);

function guidePage(path: string): string {
  if (path === 'examples/README.md') return 'examples/index.md';
  return `guides/${posix.basename(path).toLowerCase()}`;
}

/** Returns the page of a file, such as `guides/errors.md` for `docs/errors.md`. Paths start at the root. */
export function pageOf(path: string): string | undefined {
  if (path.startsWith('docs/api/')) return path.slice('docs/'.length);
  if (path === home) return 'index.md';
  // The dynamic route for examples.
  if (path.startsWith('docs/site/')) return path.replace('docs/site/', 'examples/');
  return pages.get(path);
}

/** Returns the URL of a page. */
export const urlOf = (page: string): string =>
  `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`;

/** What replaces pages of earlier versions, whose addresses lead there. */
export const redirects: ReadonlyMap<string, string> = new Map(
  Object.entries({
    canceling: 'docs/timeouts.md',
    'concurrency-and-budgets': 'docs/client-options.md',
    cookbook: 'docs/README.md',
    overview: 'README.md',
    proxies: 'docs/runtimes.md',
    schemas: 'docs/typed-models.md',
    upgrading: 'CHANGELOG.md',
  })
    .map(([name, path]): [string, string] => [`guides/${name}.html`, urlOf(pageOf(path) ?? '')])
    .concat([['guides/playground.html', '/playground/']]),
);

/** A guide with a link to what its snippets need, which is the same for all of them. */
export function withSetUp(path: string, text: string): string {
  const isGuide = /^docs\/(?!README|quick-start|api\/|site\/)/.test(path);
  if (!isGuide || !/^```(?:js|ts)$/m.test(text)) return text;
  return text.replace(/^(?=## )/m, `Snippets run after the [set-up](quick-start.md#set-up).\n\n`);
}

/** Files that pages link to and that are not pages themselves. The build copies them to `files/`. */
export const linkedFiles = new Map<string, string>();

/** Adds a file to the site and returns its path there. */
export function publish(path: string): string {
  // Browsers download files without a known extension, and take `.ts` for a video.
  const name = `files/${path}${/\.(?:json|svg|png)$/.test(path) ? '' : '.txt'}`;
  linkedFiles.set(name, path);
  return name;
}

/** The page or other file of the repository to which a link leads. */
export interface Target {
  path: string;
  page: string | undefined;
  hash: string;
}

/** Resolves a relative link of a file. Returns undefined for other links and for missing files. */
export function targetOf(link: string, source: string): Target | undefined {
  const base = new URL(source, root);
  if (/^(?:[a-z]+:|#|\/)/i.test(link) || !URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  const { hash } = url;
  url.hash = '';
  const path = decodeURIComponent(url.href.slice(root.href.length));
  const page = pageOf(path);
  return page !== undefined || existsSync(url) ? { path, page, hash } : undefined;
}
