/** The list of guides in docs/README.md: the order of the site, and of llms.txt. */
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

/** A guide, as docs/README.md lists it. */
export interface Entry {
  /** The heading that it stands under. */
  section: string;
  title: string;
  /** From the root of the repository, such as `docs/errors.md`. */
  path: string;
  /** What it is good for, in one line. */
  about: string;
}

/** Every guide, in the order in which people should see them. */
export function contents(): Entry[] {
  const text = readFileSync(new URL('docs/README.md', root), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [section = ''] = part.split('\n');
      const lines = part.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm);
      return Array.from(lines, ([, title = '', link = '', about = '']) => {
        const path = new URL(link, new URL('docs/', root)).href.slice(root.href.length);
        return { section, title, path, about };
      });
    });
}
