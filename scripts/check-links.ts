/** Follows every link between the pages of the generated site; those to other hosts are left alone. */
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
    .filter((link) => !leads(new URL(link, page)))
    .map((link) => `${page.href.slice(site.href.length)}: ${link}`),
);

for (const link of new Set(broken)) console.error(link);
console.log(`${pages.length} pages, ${broken.length} broken links`);
if (pages.length === 0 || broken.length > 0) process.exit(1);

function leads(target: URL): boolean {
  if (target.protocol !== 'file:') return true;
  const known = anchors.get(target.pathname);
  if (known === undefined) return existsSync(new URL(target.pathname, site));
  return target.hash === '' || known.has(decodeURIComponent(target.hash.slice(1)));
}

function linksOf(html: string): string[] {
  const found = html.matchAll(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g);
  return Array.from(found, ([, link = '']) => link.replaceAll('&amp;', '&'));
}

function idsOf(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]*)"/g), ([, id = '']) => id));
}
