import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Fault } from 'polygate/mock';

export const root = new URL('../../', import.meta.url);

/** A page for users, and what it says. */
export interface Guide {
  /** From the root of the repository, such as `docs/testing.md`. */
  path: string;
  text: string;
}

/** A piece of TypeScript of a guide, as a file that can be checked and run. */
export interface Snippet {
  /** Where it stands, such as `README.md: Streaming`; the second of a section ends with `(2)`. */
  title: string;
  file: string;
  /** A program prints something; tests are collected by the runner; what is only shown compiles. */
  kind: 'program' | 'tests' | 'shown';
  /** What goes wrong at the service while it runs. */
  fault?: Fault;
}

/** Everything that users read: a new guide in `docs` is in by itself. */
export const guides: readonly Guide[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/README.md',
].map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

/** What a snippet may use without making it, and the lines that make it. */
const openings = [
  {
    uses: /(?<![\w./])mock(\.\w|[,)])/,
    makes: 'createMockGateway(',
    lines: `import { createMockGateway } from 'polygate/mock';
const mock = createMockGateway({ clock: 'virtual' });
const { apiKey, baseURL, fetch, clock } = mock;
const gateway = new Polygate({ apiKey, baseURL, fetch, clock });`,
  },
  {
    uses: /(?<![\w./])gateway(\.\w|[,)])/,
    makes: 'const gateway = new ',
    lines: 'const gateway = new Polygate();',
  },
];

const blocks =
  /(?:^<!-- service:(?<service>.*?)-->\n+)?(?:^<!-- before:(?<before>.*?)-->\n+)?^```ts(?<shown> no-run)?\n(?<block>.*?)^```/gms;

/**
 * The `ts` blocks of a guide. A block goes on with what its comment `<!-- before: … -->` says, which
 * readers do not see, and with a `gateway` or a `mock` that it uses and does not make. The fault of a
 * comment `<!-- service: {…} -->` above it is the gateway's while it runs. A block marked `ts no-run` is
 * compiled only.
 */
export function snippetsOf({ path, text }: Guide): Snippet[] {
  const seen = new Map<string, number>();
  return Array.from(text.matchAll(blocks), ({ groups = {}, index }) => {
    const { service, before = '', shown, block = '' } = groups;
    const heading = Array.from(text.slice(0, index).matchAll(/^##+ (.*)$/gm)).at(-1)?.[1] ?? '';
    const place = `${path}: ${heading}`;
    const number = (seen.get(place) ?? 0) + 1;
    seen.set(place, number);
    const title = number === 1 ? place : `${place} (${number})`;
    const file = written(title, completed(before.trim(), block));
    if (shown !== undefined) return { title, file, kind: 'shown' };
    if (/from 'vitest'/.test(block)) return { title, file, kind: 'tests' };
    const fault = service === undefined ? {} : { fault: JSON.parse(service) as Fault };
    return { title, file, kind: 'program', ...fault };
  });
}

function completed(before: string, block: string): string {
  const code = `${before}\n${block}`;
  const opening = openings.find(({ uses, makes }) => uses.test(code) && !code.includes(makes));
  const whole = opening === undefined ? code : `${opening.lines}\n${code}`;
  const imported = /import \{[^}]*\bPolygate\b/.test(code) || !whole.includes('new Polygate(');
  return imported ? whole : `import { Polygate } from 'polygate';\n${whole}`;
}

/** Written only when it changes, or a watcher would start anew each time; never half written. */
function written(title: string, code: string): string {
  const folder = new URL('test/docs/.tmp/', root);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${title.replaceAll(/[^\w]+/g, '-')}.ts`.toLowerCase(), folder);
  if (existsSync(file) && readFileSync(file, 'utf8') === code) return fileURLToPath(file);
  const draft = new URL(`${process.pid}.draft`, folder);
  writeFileSync(draft, code);
  renameSync(draft, file);
  return fileURLToPath(file);
}

/** The part of a link after `#` for every heading, as code hosts make it. */
export function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '');
  const seen = new Map<string, number>();
  return Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => {
    const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = words.trim().replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}
