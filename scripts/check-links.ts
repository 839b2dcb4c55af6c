/**
 * Checks every internal link of the documentation site: the anchors of pages, which VitePress does not check, and the
 * links of the texts for language models. External links are ignored.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const dist = new URL('../docs/.vitepress/dist/', import.meta.url);
const site = new URL('http://site/');
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
const read = (path: string): string => readFileSync(new URL(path, dist), 'utf8');

const pages = new Map(
  files.filter((path) => path.endsWith('.html')).map((path) => [path, read(path)]),
);
const texts = new Map(
  files.filter((path) => /(?:\.md|llms.*\.txt)$/.test(path)).map((path) => [path, read(path)]),
);
const anchors = new Map(Array.from(pages, ([path, html]) => [path, idsOf(html)]));

const broken = [
  ...Array.from(pages, ([path, html]) => brokenLinks(path, linksOf(html))),
  ...Array.from(texts, ([path, markdown]) => brokenLinks(path, linksOfText(markdown))),
].flat();

for (const link of new Set(broken)) console.error(link);
console.log(`${pages.size} pages, ${texts.size} texts, ${broken.length} broken links`);
if (pages.size === 0 || texts.size === 0 || broken.length > 0) process.exit(1);

function brokenLinks(path: string, links: string[]): string[] {
  return links
    .filter((link) => !isValid(new URL(link, new URL(path, site))))
    .map((link) => `${path}: ${link}`);
}

function isValid({ origin, pathname, hash }: URL): boolean {
  if (origin !== site.origin) return true;
  const path = decodeURIComponent(pathname.slice(1)).replace(/(^|\/)$/, '$1index.html');
  if (!existsSync(new URL(path, dist))) return false;
  // Fragments of the playground are its views, which it renders itself; the browser tests follow these links.
  if (path === 'playground/index.html') return true;
  // A Markdown text has the anchors of its page.
  const ids = anchors.get(path.replace(/(?:\/index)?\.md$/, '.html'));
  return hash === '' || ids === undefined || ids.has(decodeURIComponent(hash.slice(1)));
}

function linksOf(html: string): string[] {
  const matches = html.matchAll(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g);
  return Array.from(matches, ([, link = '']) => link.replaceAll('&amp;', '&'));
}

function linksOfText(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
}

function idsOf(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]*)"/g), ([, id = '']) => id));
}
