/** Reads the list of guides in docs/README.md, which determines the order of the site and of llms.txt. */
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

/** An entry of the list. */
export interface Entry {
  /** The heading that the entry is under. */
  section: string;
  title: string;
  /** Path from the repository root, such as `docs/errors.md`. */
  path: string;
  /** One-line description. */
  description: string;
}

/** Returns every guide in reading order. */
export function contents(): Entry[] {
  const text = readFileSync(new URL('docs/README.md', root), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [section = ''] = part.split('\n');
      const lines = part.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm);
      return Array.from(lines, ([, title = '', link = '', description = '']) => {
        const path = new URL(link, new URL('docs/', root)).href.slice(root.href.length);
        return { section, title, path, description };
      });
    });
}
