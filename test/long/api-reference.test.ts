import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { compile } from '../docs/compile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
mkdirSync(join(root, 'coverage'), { recursive: true });
/** In the repository, so that examples find the packages that they import. */
const folder = mkdtempSync(join(root, 'coverage/reference-'));

interface Page {
  path: string;
  text: string;
  examples: string[];
}
let pages: readonly Page[] = [];

beforeAll(async () => {
  const typedoc = join(root, 'node_modules/typedoc/bin/typedoc');
  await promisify(execFile)(process.execPath, [typedoc, '--out', folder], { cwd: root });
  pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.endsWith('index.md'))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const sections = text.match(/^#+ Examples?\n(?:\n+```tsx?\n.*?^```$)+/gms) ?? [];
      const blocks = sections.join('\n').matchAll(/^```tsx?\n(.*?)^```$/gms);
      return { path, text, examples: Array.from(blocks, ([, code = '']) => code) };
    });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('each page of an export shows an example', () => {
  expect(pages.length).toBeGreaterThan(400);
  expect(pages.filter(({ examples }) => examples.length === 0).map(({ path }) => path)).toEqual([]);
});

/** What a program passes on, and does not read. */
const passedOn =
  'Clock GenerationNamespace ItemStream KeyValueStorage ModelCatalog NodeFetch NodeFetchDispatcher ProxyHandler ' +
  'RecordedRequest RedisClient SpendGateway StandardJsonSchema StandardSchema Store';

test('the example of an interface names it or one of its members', () => {
  const unrelated = pages.flatMap(({ path, text, examples }) => {
    const [, name = ''] = /interfaces\/(\w+)\.md$/.exec(path) ?? [];
    const members = Array.from(
      text.matchAll(/^#{2,4} ([\w\\]+)\??(?:\(\))?$/gm),
      ([, member = '']) => member.replaceAll('\\', ''),
    );
    const isNamed = [name, ...members].some((word) =>
      new RegExp(`(?<!\\w)${word}(?!\\w)`).test(examples.join('\n')),
    );
    return name === '' || isNamed || passedOn.split(' ').includes(name) ? [] : [path];
  });
  expect(unrelated).toEqual([]);
});

test('no signature has a conditional type: it has overloads or a list of cases', () => {
  const lines = pages.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => /\*extends\* .* \? /.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(lines).toEqual([]);
  const signatures = (path: string, name: string) =>
    pages
      .find((page) => page.path === path)
      ?.text.match(new RegExp(`^> (?:\`abstract\` )?\\*\\*${name}\\*\\*.*`, 'gm'));
  expect(signatures('polygate/interfaces/ChatCompletions.md', 'create')).toHaveLength(2);
  expect(signatures('polygate/interfaces/Models.md', 'list')).toHaveLength(3);
  expect(signatures('polygate/classes/Polygate.md', 'resume')).toHaveLength(2);
});

test('every example compiles', () => {
  const files = new Map<string, string>();
  for (const { path, examples } of pages)
    for (const code of examples) {
      const file = join(folder, `${path.replaceAll(/\W/g, '-')}-${files.size}.tsx`);
      writeFileSync(file, programOf(code));
      files.set(file, path);
    }
  const errors = Array.from(compile(Array.from(files.keys())), ([file, messages]) =>
    messages.map((message) => `${files.get(file)}: ${message}`),
  );
  expect(errors.flat()).toEqual([]);
});

/** An example in a program that has what the reference assumes, such as a client, and imports the exports that it uses. */
function programOf(code: string): string {
  const imports = code.match(/^import .*?;$/gms) ?? [];
  // Fields that are added to an interface.
  const modules = code.match(/^declare module .*?^\}$/gms) ?? [];
  const body = [...imports, ...modules].reduce((rest, part) => rest.replace(part, ''), code);
  const isImported = (name: string) => new RegExp(`\\b${name}\\b`).test(imports.join());
  const used = (name: string) =>
    new RegExp(`(?<![\\w'-])(?<!(?<!\\.)\\.)${name}\\b`).test(body) && !isImported(name);
  const assumed = Object.entries({ ...exportsByName(), ...assumptions });
  return [
    ...imports,
    ...assumed.flatMap(([name, statement]) => (used(name) ? [statement] : [])),
    `export async function example() {\n${body}\n}`,
  ].join('\n');
}

/** The import of each export, as its page shows it. */
function exportsByName(): Record<string, string> {
  return Object.fromEntries(
    pages.toReversed().flatMap(({ text }) => {
      const [line = '', name] = /^import (?:type )?\{ (\w+) \} from .*$/m.exec(text) ?? [];
      return name === undefined ? [] : [[name, line]];
    }),
  );
}

/** What an example leaves to the program around it. */
const assumptions: Readonly<Record<string, string>> = {
  completion: "declare const completion: import('polygate').ChatCompletion;",
  journal: "declare const journal: import('polygate').Journal;",
  task: "declare const task: import('polygate').Task;",
  createServer: "import { createServer } from 'node:http';",
  Redis: "import { Redis } from 'ioredis';",
  generateText: "import { generateText } from 'ai';",
  setupServer: "import { setupServer } from 'msw/node';",
  z: "import { z } from 'zod';",
  app: 'declare const app: { use(path: string, handle: unknown): void };',
  apiKey: 'declare const apiKey: string;',
  baseURL: 'declare const baseURL: string;',
  body: 'declare const body: string;',
  error: 'declare const error: unknown;',
  getSession: 'declare function getSession(request: Request): Promise<{ userId: string } | null>;',
  gateway: "declare const gateway: import('polygate').Polygate;",
  messages: "declare const messages: import('polygate').ChatMessage[];",
  mock: "declare const mock: import('polygate/mock').MockGateway;",
  model: 'declare const model: string;',
  options: "declare const options: import('polygate/proxy').ProxyOptions;",
  params: 'declare const params: never;',
  pool: 'declare const pool: unknown;',
  postgresStore: "declare function postgresStore(pool: unknown): import('polygate/proxy').Store;",
  prompt: 'declare const prompt: string;',
  queue: "declare const queue: import('polygate/bullmq').GenerationQueue;",
  request: 'declare const request: Request;',
  settings: 'declare const settings: { readonly model: string };',
  show: 'declare function show(text: string): void;',
  store: "declare const store: import('polygate/proxy').Store & ((text: string) => Promise<void>);",
};
