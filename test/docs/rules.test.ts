import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { withSetUp } from '../../docs/.vitepress/pages.ts';
import manifest from '../../package.json' with { type: 'json' };
import { guides, root, snippetsOf } from './guides.ts';

/** Comments that mark generated parts. Anything else in a comment would be hidden from readers. */
const markers = /^<!-- (\/?generated\b.*|runtimes: .*|globals|end) -->$/;

/** The pages that contain the set-up themselves. */
const setUpPages = ['README.md', 'docs/quick-start.md'];

/** Packages of which polygate supports one major version. */
const restricted = ['ai', ...Object.keys(manifest.peerDependencies)];

/** The arguments of all `npm install` commands in a guide. */
function installed(text: string): string[] {
  return Array.from(text.matchAll(/npm (?:install|i) ([^\n`&]+)/g), ([, list = '']) =>
    list.split(/\s+/),
  ).flat();
}

function manifestOf(name: string): { version: string; engines?: { node?: string } } {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, root), 'utf8'));
}

describe.each(guides)('$path', (guide) => {
  const { path, text } = guide;
  const snippets = snippetsOf(guide);

  test('hides nothing from readers', () => {
    const comments = Array.from(text.matchAll(/^<!--.*?-->/gms), ([comment]) => comment);
    expect(comments.filter((comment) => !markers.test(comment))).toEqual([]);
  });

  test('has code blocks of known languages only', () => {
    const fences = Array.from(text.matchAll(/^ *```(.+)$/gm), ([, info]) => info);
    const known =
      /^(js|ts)( no-run)?$|^(tsx|sh|json|text|yaml|promql|vue|css|html|toml|dockerfile|powershell)$/;
    expect(fences.filter((info = '') => !known.test(info))).toEqual([]);
  });

  test('says how to run TypeScript, if it contains any', () => {
    const usesTypes = snippets.some(({ file, kind }) => kind === 'program' && file.endsWith('.ts'));
    if (!usesTypes) return;
    expect(text).toContain('`NAME.ts`');
    expect(text).toContain('22.18');
  });

  test('links to the set-up once on the site, if it has snippets to run', () => {
    const hasPrograms = snippets.some(({ kind }) => kind === 'program');
    if (!hasPrograms || setUpPages.includes(path)) return;
    expect(withSetUp(path, text).split('quick-start.md#set-up)')).toHaveLength(2);
  });

  test('shows how to install the packages that its snippets import', () => {
    const shown = installed(text).map((name) => name.replace(/(.)@\d+$/, '$1'));
    const imported = snippets
      .filter(({ kind }) => kind !== 'compile-only')
      .flatMap(({ code }) => Array.from(code.matchAll(/ from '([^'./][^']*)'/g)))
      .map(([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
      .filter((name) => name !== 'polygate' && !name.startsWith('node:'));
    expect(shown).toEqual(expect.arrayContaining(imported));
  });

  test('installs the tested major version of packages for which npm chooses an older one on Node.js 20', () => {
    for (const argument of installed(text)) {
      const [, name = ''] = /^(.+?)(@\d+)?$/.exec(argument) ?? [];
      if (!restricted.includes(name)) continue;
      const { version, engines } = manifestOf(name);
      const [, node = ''] = /^>=(\d+)/.exec(engines?.node ?? '') ?? [];
      if (Number(node) <= 20) continue;
      expect(argument).toBe(`${name}@${Number.parseInt(version, 10)}`);
      expect(text).toContain(`Node.js ${node}`);
    }
  });
});
