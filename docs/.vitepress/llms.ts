/** The guides as plain text for language models: an index, each page, and all guides in one file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import { contents } from '../../scripts/contents.ts';
import { llmsIndex } from '../../scripts/llms.ts';
import { pages, publish, root, targetOf, withSetUp } from './pages.ts';

const texts = Array.from(pages).filter(([path]) => path.endsWith('.md'));

/** Writes `llms.txt`, `llms-full.txt` and a Markdown file next to each page that is not generated. */
export function writeTexts(outDir: string): void {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(outDir, name)), { recursive: true });
    writeFileSync(join(outDir, name), text);
  };
  for (const [path, page] of texts) write(page, textOf(path, posix.dirname(page)));
  write(
    'llms.txt',
    llmsIndex((path) => pages.get(path) ?? path),
  );
  write(
    'llms-full.txt',
    contents()
      .map(({ path }) => textOf(path, ''))
      .join('\n'),
  );
}

/** A page without comments, with links that are relative to a folder of the site. */
function textOf(path: string, folder: string): string {
  return withSetUp(path, readFileSync(new URL(path, root), 'utf8'))
    .replaceAll(/^<!--.*?-->\n+/gms, '')
    .replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, (link) => {
      const target = targetOf(link, path);
      if (target === undefined) return link;
      const text = target.path.endsWith('.md') ? target.page : undefined;
      return posix.relative(folder, text ?? publish(target.path)) + target.hash;
    });
}
