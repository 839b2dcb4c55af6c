import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { writeTexts } from '../../docs/.vitepress/llms.ts';
import { pageOf, pages, redirects, targetOf, urlOf } from '../../docs/.vitepress/pages.ts';
import { contents } from '../../scripts/contents.ts';
import { root } from './guides.ts';

const folder = mkdtempSync(join(tmpdir(), 'polygate-site-'));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const guides = contents();

beforeAll(() => writeTexts(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('llms.txt links to the text of every guide', () => {
  const index = read('llms.txt');
  for (const { path, title, description } of guides) {
    const page = pageOf(path) ?? '';
    expect(index).toContain(`- [${title}](${page}): ${description}`);
    expect(read(page)).toMatch(/^# /);
  }
});

test('llms-full.txt contains every guide, without comments', () => {
  const text = read('llms-full.txt');
  const titles = guides
    .map(({ path }) => readFileSync(new URL(path, root), 'utf8'))
    .map((guide) => guide.split('\n', 1)[0] ?? '');
  expect(text.split('\n')).toEqual(expect.arrayContaining(titles));
  expect(text).not.toContain('<!--');
});

test('links between guides lead to the texts next to them', () => {
  expect(read('guides/hooks.md')).toContain('](browsers-and-proxy.md');
  expect(read('llms-full.txt')).toContain('](guides/payment-safety.md#');
});

test('a link is resolved to a page, to another file, or not at all', () => {
  const from = 'docs/observability.md';
  expect(targetOf('errors.md#hookerror', from)).toMatchObject({
    page: 'guides/errors.md',
    hash: '#hookerror',
  });
  expect(targetOf('../examples/chat.ts', from)?.page).toBe('examples/chat.md');
  expect(targetOf('../LICENSE', from)).toEqual({ path: 'LICENSE', page: undefined, hash: '' });
  expect(targetOf('missing.md', from)).toBeUndefined();
  expect(targetOf('https://example.com/', from)).toBeUndefined();
  expect(urlOf('examples/index.md')).toBe('/examples/');
});

test('the home page links to guides, names what it compares, and says under which condition others pay twice', () => {
  const home = readFileSync(new URL('docs/site/home.md', root), 'utf8');
  expect(home).toMatch(/^```sh\nnpm i polygate\n```$/m);
  expect(home).toMatch(/^\| If … +\| openai, fal, replicate, runway +\| polygate +\|$/m);
  expect(home).toMatch(/2 charges, if the service does not recognize the repeated request/);
  const [, tasks = ''] = home.split('<div class="tasks">');
  expect(tasks.match(/^- \[/gm)).toHaveLength(6);
  for (const [, link = ''] of home.matchAll(/\]\((\.\.\/[^)]+)\)/g))
    expect([link, targetOf(link, 'docs/site/home.md')]).not.toEqual([link, undefined]);
});

test('each page that was replaced leads to a page', () => {
  const existing = new Set(pages.values());
  for (const [path, url] of redirects) {
    expect(existing).not.toContain(path.replace('.html', '.md'));
    expect(url).toMatch(/^\/(?:guides\/(?:[\w-]+\.html)?|playground\/)?$/);
  }
});
