import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = new URL('../../', import.meta.url);

/** A documentation page. */
export interface Guide {
  /** Path from the repository root, such as `docs/testing.md`. */
  path: string;
  text: string;
}

/** A snippet of a guide, written to a file that can be compiled and run. */
export interface Snippet {
  /** File and heading, such as `README.md: Streaming`. The second snippet of a section ends with `(2)`. */
  title: string;
  /** The path of the guide. */
  guide: string;
  file: string;
  code: string;
  /** Programs are run, tests are collected by the test runner, and the rest is only compiled. */
  kind: 'program' | 'tests' | 'compile-only';
  /** The options of `npx polygate-mock` that the guide tells readers to start the gateway with, just before it. */
  gatewayOptions?: string;
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

/** The Redis server of the guides, and that of the tests, which use another port. */
const defaultRedis = "'redis://127.0.0.1:6379'";
const testRedis = "process.env.REDIS_URL ?? ''";

const blocks = /^```(?<language>js|ts)(?<kind>x| no-run)?\n(?<code>.*?)^```/gms;

/**
 * Returns the `js` and `ts` blocks of a guide, as a reader pastes them. A block marked `no-run` needs another service
 * and is only compiled, and so is a `tsx` block.
 */
export function snippetsOf({ path, text }: Guide): Snippet[] {
  const counts = new Map<string, number>();
  let previousEnd = 0;
  return Array.from(text.matchAll(blocks), (match) => {
    const { index, groups = {} } = match;
    const { language = '', kind, code: pasted = '' } = groups;
    const preceding = text.slice(previousEnd, index);
    previousEnd = index + match[0].length;
    const heading = Array.from(text.slice(0, index).matchAll(/^##+ (.*)$/gm)).at(-1)?.[1] ?? '';
    const location = `${path}: ${heading}`;
    const number = (counts.get(location) ?? 0) + 1;
    counts.set(location, number);
    const title = number === 1 ? location : `${location} (${number})`;
    const code = pasted.replaceAll(defaultRedis, testRedis);
    const extension = kind === 'x' ? 'tsx' : language === 'js' ? 'mjs' : 'ts';
    const gatewayOptions = optionsOfGateway(preceding);
    return {
      title,
      guide: path,
      file: writeSnippet(title, extension, code),
      code,
      kind: kindOf(code, kind),
      usesRedis: code.includes(testRedis),
      ...(gatewayOptions !== undefined && { gatewayOptions }),
    };
  });
}

function kindOf(code: string, mark: string | undefined): Snippet['kind'] {
  if (mark !== undefined) return 'compile-only';
  return /from 'vitest'/.test(code) ? 'tests' : 'program';
}

/** Returns the options of the last `npx polygate-mock --…` in a text, and undefined if a heading follows it. */
function optionsOfGateway(text: string): string | undefined {
  const section = text.split(/^##+ /m).at(-1) ?? '';
  return Array.from(section.matchAll(/npx polygate-mock (--[^`\n]+)/g)).at(-1)?.[1];
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
