/** Makes the home page from docs/README.md and the first screen of README.md. */
import { readFileSync } from 'node:fs';

import { root } from './pages.ts';

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const [firstScreen = ''] = read('README.md').split(/^## /m);

/** Returns the Markdown of the home page. */
export function homePage(start: string): string {
  const [intro = '', ...sections] = start.split(/^(?=## )/m);
  const [heading = '', what = '', ...code] = intro.trim().split('\n\n');
  return [
    '<main class="home">',
    '<div class="hero">',
    heading,
    promise,
    what,
    '[Quick start](quick-start.md) [Playground](../playground/README.md) [API reference](/api/)',
    '</div>',
    '<PullThePlug />',
    '## If something goes wrong',
    comparison(),
    note,
    '## Try it',
    // The start page leaves the installation to the quick start.
    installation,
    ...code,
    '## Find your task',
    '<div class="index">',
    // Each guide is a link: its description is on the page.
    ...sections.map((section) => {
      const links = section.replaceAll(/^(- \[.+?\]\(.+?\)): .+$/gm, '$1');
      return `<div>\n\n#${links.trim()}\n\n</div>`;
    }),
    '</div>',
    '</main>',
  ].join('\n\n');
}

const inDocs = (text: string) => text.replaceAll(/\]\((?!https?:|#)/g, '](../');
const [, purpose = ''] = firstScreen.trim().split('\n\n');
const measured = firstScreen.trim().split('\n\n').at(-1) ?? '';

/** What README.md promises. */
const promise = purpose;

/** How the numbers were measured. */
const note = inDocs(measured);

/** The rows of the table on the first screen of README.md. */
function rows(): [situation: string, others: string, polygate: string][] {
  const lines = firstScreen.match(/^\| .+\|$/gm) ?? [];
  return lines.slice(2).map((line) => {
    const [, situation = '', others = '', polygate = ''] = line.split(/\s*\|\s*/);
    return [situation, others, polygate];
  });
}

/** That table as pairs: what happens with other clients, above what happens with polygate. */
function comparison(): string {
  return rows()
    .map(([situation, others, polygate]) => {
      const [most, least] = [amount(others), amount(polygate)];
      const bar = (value: number) =>
        most > 1_000 ? `<i class="bar" style="--part:${Math.max(value / most, 0.01)}"></i>` : '';
      return [
        '<section class="case">',
        `### ${situation[0]?.toUpperCase()}${situation.slice(1)}`,
        `<div class="others"><b>Other clients</b>${coins(situation, 2)}${bar(most)}`,
        others,
        `</div><div class="ours"><b>polygate</b>${coins(situation, 1)}${bar(least)}`,
        inDocs(polygate),
        '</div>',
        '</section>',
      ].join('\n\n');
    })
    .join('\n\n')
    .replace(/^/, '<div class="cases">\n\n')
    .concat('\n\n</div>');
}

/** The first number in a text, such as `10,000 sockets`. */
function amount(text: string): number {
  return Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', '') ?? 0);
}

/** A coin per charge, for the situation in which a usual retry pays twice. */
function coins(situation: string, charges: number): string {
  if (!situation.includes('paid request is lost')) return '';
  const coin = '<i class="coin" aria-hidden="true">$</i>';
  return ` <span class="coins">${coin.repeat(charges)} ${charges === 1 ? '1 charge' : `${charges} charges`}</span>`;
}

/** The first commands in README.md. */
const installation = /^```sh\n.*?^```$/ms.exec(read('README.md'))?.[0] ?? '';
