/** Comments and CONTRIBUTING send readers to files by a part of their path, and a file can move. */
import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const files = globSync('{src,test,scripts,examples,docs,playground}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).map((file) => `/${file}`);

/** The files that a text names, such as "`paid/books.ts`" or "paid/books.ts", of which there is none. */
function missingFrom(text: string): string[] {
  const names = text.match(/(?<![\w./*{}<>$-])[a-z][\w/-]*\.tsx?\b(?!\()/g) ?? [];
  return names.filter((name) => !files.some((file) => file.endsWith(`/${name}`)));
}

const commentsOf = (source: string) =>
  (source.match(/^\s*(?:\/\/|\/?\*).*$|\/\/ .*$/gm) ?? []).join('\n');

test('the files that CONTRIBUTING names exist', () => {
  expect(missingFrom(readFileSync(new URL('CONTRIBUTING.md', root), 'utf8'))).toEqual([]);
});

test('the files that comments of the source name exist', () => {
  const sources = files.filter((file) => file.startsWith('/src/')).map((file) => file.slice(1));
  const missing = sources.flatMap((file) =>
    missingFrom(commentsOf(readFileSync(new URL(file, root), 'utf8'))).map(
      (name) => `${file}: ${name}`,
    ),
  );
  expect(missing).toEqual([]);
});
