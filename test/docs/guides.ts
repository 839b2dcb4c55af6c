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

/** A documentation page. */
export interface Guide {
  /** Path from the repository root, such as `docs/testing.md`. */
  path: string;
  text: string;
}

/** A TypeScript snippet of a guide, written to a file that can be compiled and run. */
export interface Snippet {
  /** File and heading, such as `README.md: Streaming`. The second snippet of a section ends with `(2)`. */
  title: string;
  file: string;
  /** Programs are run, tests are collected by the test runner, and the rest is only compiled. */
  kind: 'program' | 'tests' | 'compile-only';
  /** A fault to inject while the program runs. */
  fault?: Fault;
  /** Whether it needs a Redis server. */
  usesRedis: boolean;
}

/** All documentation pages. New guides in `docs` are included automatically. */
export const guides: readonly Guide[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/README.md',
].map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

/** Variables that snippets may use without declaring them, and the code that declares them. */
const preambles = [
  {
    uses: /(?<![\w./])mock(\.\w|[,)])/,
    declares: 'createMockGateway(',
    lines: `import { createMockGateway } from 'polygate/mock';
const mock = createMockGateway({ clock: 'virtual' });
const { apiKey, baseURL, fetch, clock } = mock;
const gateway = new Polygate({ apiKey, baseURL, fetch, clock });`,
  },
  {
    uses: /(?<![\w./])gateway(\.\w|[,)])/,
    declares: 'const gateway = new ',
    lines: 'const gateway = new Polygate();',
  },
];

/** The Redis server of the guides, and that of the tests, which use another port. */
const defaultRedis = "'redis://127.0.0.1:6379'";
const testRedis = "process.env.REDIS_URL ?? ''";

const blocks =
  /(?:^<!-- service:(?<service>.*?)-->\n+)?(?:^<!-- before:(?<before>.*?)-->\n+)?^```ts(?<noRun>x| no-run)?\n(?<block>.*?)^```/gms;

/**
 * Returns the `ts` blocks of a guide. Code in a preceding comment `<!-- before: … -->`, which readers do not see, is
 * added before the block, and so is the declaration of a `gateway` or `mock` that the block uses but does not declare.
 * The fault in a preceding comment `<!-- service: {…} -->` is injected while the block runs. A block marked `ts no-run`
 * is only compiled, and so is a `tsx` block.
 */
export function snippetsOf({ path, text }: Guide): Snippet[] {
  const counts = new Map<string, number>();
  return Array.from(text.matchAll(blocks), ({ groups = {}, index }) => {
    const { service, before = '', noRun, block = '' } = groups;
    const heading = Array.from(text.slice(0, index).matchAll(/^##+ (.*)$/gm)).at(-1)?.[1] ?? '';
    const location = `${path}: ${heading}`;
    const number = (counts.get(location) ?? 0) + 1;
    counts.set(location, number);
    const title = number === 1 ? location : `${location} (${number})`;
    const extension = noRun === 'x' ? 'tsx' : 'ts';
    const program = addPreamble(before.trim(), block).replaceAll(defaultRedis, testRedis);
    const file = writeSnippet(title, extension, program);
    const usesRedis = program.includes(testRedis);
    if (noRun !== undefined) return { title, file, kind: 'compile-only', usesRedis };
    if (/from 'vitest'/.test(block)) return { title, file, kind: 'tests', usesRedis };
    const fault = service === undefined ? {} : { fault: JSON.parse(service) as Fault };
    return { title, file, kind: 'program', usesRedis, ...fault };
  });
}

function addPreamble(before: string, block: string): string {
  const code = `${before}\n${block}`;
  const preamble = preambles.find(
    ({ uses, declares }) => uses.test(code) && !code.includes(declares),
  );
  const program = preamble === undefined ? code : `${preamble.lines}\n${code}`;
  const imported = /import \{[^}]*\bPolygate\b/.test(code) || !program.includes('new Polygate(');
  return imported ? program : `import { Polygate } from 'polygate';\n${program}`;
}

/** Writes the file atomically, and only if it changed, so that watch mode does not restart endlessly. */
function writeSnippet(title: string, extension: string, code: string): string {
  const folder = new URL('test/docs/.tmp/', root);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${title.replaceAll(/[^\w]+/g, '-')}.${extension}`.toLowerCase(), folder);
  if (existsSync(file) && readFileSync(file, 'utf8') === code) return fileURLToPath(file);
  const draft = new URL(`${process.pid}.draft`, folder);
  writeFileSync(draft, code);
  renameSync(draft, file);
  return fileURLToPath(file);
}

/** Returns the anchor of every heading, as code hosting sites generate it. */
export function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '');
  const counts = new Map<string, number>();
  return Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => {
    const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = words.trim().replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}
