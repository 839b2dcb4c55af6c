/** Makes the home page from docs/README.md and the first screen of README.md. */
import { readFileSync } from 'node:fs';

import { root } from './pages.ts';

/** Returns the Markdown of the home page. */
export function homePage(start: string): string {
  const [intro = '', ...sections] = start.split(/^(?=## )/m);
  const [heading = '', tagline = '', ...code] = intro.trim().split('\n\n');
  return [
    '<div class="hero">',
    '<div>',
    heading,
    tagline,
    '[Quick start](quick-start.md) [Examples](../examples/README.md) [API reference](/api/)',
    '</div>',
    `<div class="picture">${picture}</div>`,
    '</div>',
    '<PullThePlug />',
    // The start page leaves the installation to the quick start.
    code.some((part) => part.startsWith('```sh')) ? '' : installation,
    ...code,
    difference,
    // Each guide becomes a card: its title above its description.
    ...sections.map((section) =>
      section.replaceAll(
        /^(- \[.+?\]\(.+?\)): (.)/gm,
        (_, title: string, initial: string) => `${title}\n  ${initial.toUpperCase()}`,
      ),
    ),
  ].join('\n\n');
}

const picture = ['light', 'dark']
  .map((theme) => {
    const file = `images/playground${theme === 'dark' ? '-dark' : ''}.png`;
    return `<img class="only-${theme}" src="${file}" width="1440" height="900" loading="lazy" alt="The playground: images in progress, and a log of retries that recovered lost responses">`;
  })
  .join('');

const readme = readFileSync(new URL('README.md', root), 'utf8');
const [firstScreen = ''] = readme.split(/^## /m);

/** The table on the first screen of README.md that compares clients, and the note below it. */
const difference = (/^\|[^]*/m.exec(firstScreen)?.[0] ?? '').replaceAll(
  /\]\((?!https?:|#)/g,
  '](../',
);

/** The first commands in README.md. */
const installation = /^```sh\n.*?^```$/ms.exec(readme)?.[0] ?? '';
