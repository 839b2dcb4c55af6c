import { globSync, readFileSync } from 'node:fs';

import { root } from '../docs/guides.ts';

/** The source code of the client. In template texts and concatenated ones, `…` replaces what varies. */
export function sourceText(): string {
  return globSync('src/{client,errors,resources}/**/*.ts', { cwd: root })
    .map((path) => readFileSync(new URL(path, root), 'utf8'))
    .join('\n')
    .replaceAll(/['`] \+\s*['`]/g, '')
    .replaceAll(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '…');
}

/** The beginning of each text with which an error is created, up to what varies, if it is long enough to be recognized. */
export function literalsOf(source: string): string[] {
  const texts = source.matchAll(
    /(?:new (?!Error|TypeError|RangeError)\w*Error\(|\bsummary(?: =|:))\s*(?:'([^']*)'|`([^`]*)`)/g,
  );
  return Array.from(texts, ([, quoted, template = '']) => quoted ?? template)
    .map((text) => text.split('…')[0]?.trim() ?? '')
    .filter((text) => text.length > 5);
}

/** The messages in the list of the guide. */
export function messagesOf(guide: string): string[] {
  const section = guide.split('## Find a message\n')[1]?.split('\n## ')[0] ?? '';
  const entries = Array.from(section.matchAll(/^- (`.*?`): /gm), ([, entry = '']) => entry);
  return entries.flatMap((entry) =>
    Array.from(entry.matchAll(/`([^`]+)`/g), ([, text = '']) => text),
  );
}
