/** Checks every internal link of the generated documentation site. External links are ignored. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const site = new URL('../docs/api/', import.meta.url);
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html'))
  .map((path) => new URL(path, site));

const anchors = new Map(
  pages.map(({ href, pathname }) => [pathname, idsOf(readFileSync(new URL(href), 'utf8'))]),
);
const broken = pages.flatMap((page) =>
  linksOf(readFileSync(page, 'utf8'))
    .filter((link) => !isValid(new URL(link, page)))
    .map((link) => `${page.href.slice(site.href.length)}: ${link}`),
);

for (const link of new Set(broken)) console.error(link);
console.log(`${pages.length} pages, ${broken.length} broken links`);
if (pages.length === 0 || broken.length > 0) process.exit(1);

function isValid(target: URL): boolean {
  if (target.protocol !== 'file:') return true;
  const ids = anchors.get(target.pathname);
  if (ids === undefined) return existsSync(new URL(target.pathname, site));
  return target.hash === '' || ids.has(decodeURIComponent(target.hash.slice(1)));
}

function linksOf(html: string): string[] {
  const matches = html.matchAll(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g);
  return Array.from(matches, ([, link = '']) => link.replaceAll('&amp;', '&'));
}

function idsOf(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]*)"/g), ([, id = '']) => id));
}
