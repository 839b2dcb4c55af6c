import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { homePage } from '../../docs/.vitepress/home.ts';
import { writeTexts } from '../../docs/.vitepress/llms.ts';
import { pageOf, targetOf, urlOf } from '../../docs/.vitepress/pages.ts';
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

test('the home page shows how to install the package, what differs, and links to each guide', () => {
  const home = homePage(readFileSync(new URL('docs/README.md', root), 'utf8'));
  expect(home).toMatch(/^```sh\n.*npm i(nstall)? polygate/m);
  expect(home.match(/<section class="case">/g)).toHaveLength(4);
  const lines = home.split('\n').filter((line) => line.startsWith('- ['));
  expect(lines.map((line) => line.slice(3, line.indexOf(']')))).toEqual(
    guides.map(({ title }) => title),
  );
});
