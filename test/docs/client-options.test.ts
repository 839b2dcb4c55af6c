import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { defaults } from '../../src/client/config/config.ts';
import { root } from './guides.ts';

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The first line of each item of the lists in a section of the guide, by the names at its start. */
function itemsOf(heading: string): Map<string, string> {
  const section =
    read('docs/client-options.md').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const items = Array.from(section.matchAll(/^- (?<names>`\w+`(?:, `\w+`)*)(?<text>.*)$/gm));
  return new Map(
    items.flatMap(({ groups: { names = '', text = '' } = {} }) =>
      Array.from(names.matchAll(/\w+/g), ([name]) => [name, text] as const),
    ),
  );
}

/** The names of the optional fields of an interface. */
function fieldsOf(path: string, name: string): string[] {
  const start = new RegExp(`export interface ${name}\\b[^{]*\\{\\n`);
  const body = read(path).split(start)[1]?.split('\n}')[0] ?? '';
  return Array.from(body.matchAll(/^ {2}(\w+)\?:/gm), ([, field = '']) => field);
}

test('the guide lists every option of the client once', () => {
  const fields = fieldsOf('src/client/config/options.ts', 'PolygateOptions');
  expect(fields.length).toBeGreaterThan(20);
  expect(Array.from(itemsOf('All options').keys()).toSorted()).toEqual(fields.toSorted());
});

const simpleDefaults = Object.entries(defaults).flatMap(([name, value]) =>
  typeof value === 'number' || typeof value === 'string' ? [{ name, text: String(value) }] : [],
);

test.each(simpleDefaults)('the guide names the default of $name', ({ name, text }) => {
  const item = itemsOf('All options').get(name === 'chatTimeout' ? 'timeout' : name);
  expect(item?.replaceAll(/,(?=\d{3})/g, '')).toContain(text);
});

test('the guide lists every option of a call', () => {
  const fields = fieldsOf('src/client/call/request-options.ts', 'RequestOptions');
  expect(fields.length).toBeGreaterThan(6);
  expect(Array.from(itemsOf('Options of one call').keys())).toEqual(expect.arrayContaining(fields));
});

test.each([
  ['WaitOptions', 'src/wire/types/tasks/task-handle.ts', 7],
  ['GenerateOptions', 'src/client/tasks/submit.ts', 1],
  ['RegisterOptions', 'src/resources/materials.ts', 1],
  ['RecoverOptions', 'src/client/batch/options.ts', 4],
  ['BatchOptions', 'src/client/batch/options.ts', 3],
  ['RunOptions', 'src/client/chat/tool-run.ts', 3],
  ['DownloadOptions', 'src/client/tasks/download.ts', 7],
  ['SaveToOptions', 'src/integrations/node/save-to.ts', 3],
])('the guide lists every option of %s', (name, path, count) => {
  const listed = ['Options of one call', 'Options of some methods'].flatMap((heading) =>
    Array.from(itemsOf(heading).keys()),
  );
  const fields = fieldsOf(path, name);
  expect(fields).toHaveLength(count);
  expect(listed).toEqual(expect.arrayContaining(fields));
});
