import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

import * as polygate from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { Fault, MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import type { TestContext } from 'vitest';

import { runFromSource } from '../run-from-source.ts';
import type { Outcome } from '../run-from-source.ts';

vi.setConfig({ testTimeout: 60_000 });
vi.stubEnv('POLYGATE_LOG', 'off');

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

/** A piece of TypeScript, as a file that can be checked and run. */
interface Snippet {
  heading: string;
  file: URL;
}

const snippets = extract(readme);

/** What each snippet prints against a fresh reference gateway. */
const printed: Readonly<Record<string, RegExp>> = {
  'Quick start': /^You said: "?Say hello.*\nhttp:\S+\.svg\S* together 0\.02\d+ USD\n$/,
  Streaming: /Describe a harbour.*stop 0\.\d+\n$/,
  'Waiting for a task': /^succeeded 100\n\[\s*'http:\S+\.mp4/,
  Receipts: /^http:\S+\.svg/,
  Errors: /^$/,
};

describe('every snippet compiles', () => {
  const messages = compile(snippets.map(({ file }) => fileURLToPath(file)));
  test.each(snippets)('$heading', ({ file }) => {
    expect(messages.filter((message) => message.includes(fileURLToPath(file)))).toEqual([]);
  });
});

describe.concurrent('every snippet runs', () => {
  const programs = snippets.filter(({ heading }) => heading in printed);

  test.for(programs)('$heading', async ({ heading, file }, context) => {
    const { run } = await runSnippet(file, context);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(printed[heading] ?? /never/);
  });

  describe.each(snippets.filter((snippet) => !programs.includes(snippet)))(
    '$heading',
    async ({ file }) => {
      await import(fileURLToPath(file));
    },
  );
});

describe.concurrent('the snippet about errors', () => {
  const { file } = snippets.find(({ heading }) => heading === 'Errors') ?? { file: root };

  test('notices an empty wallet', async (context) => {
    const fault = { route: 'POST /v1/images/tasks', status: 402 };
    const { run } = await runSnippet(file, context, fault);
    expect(run).toEqual({ code: 0, stdout: '', stderr: 'The wallet is empty\n' });
  });

  test('pays once although every answer of the first call is lost', async (context) => {
    const fault = { route: 'POST /v1/images/tasks', reset: 'after', times: 4 } as const;
    const { mock, run } = await runSnippet(file, context, fault);
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('the text', () => {
  test('names error classes that exist', () => {
    const classes = new Set(Array.from(readme.matchAll(/`(\w+Error)`/g), ([, name = '']) => name));
    expect(classes.size).toBeGreaterThan(15);
    expect([...classes].filter((name) => !(name in polygate))).toEqual([]);
  });

  test('links to files that exist', () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)/g), ([, path = '']) => path);
    expect(links.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const names = Array.from(readme.matchAll(/npm run (\w+)/g), ([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  test('stays short enough to be read', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(181);
  });
});

/** Every snippet in a file of its own; those that do not make a client go on with the first one's. */
function extract(markdown: string): Snippet[] {
  const folder = new URL('test/docs/.tmp/', root);
  mkdirSync(folder, { recursive: true });
  const blocks = Array.from(markdown.matchAll(/^```ts\n(.*?)^```/gms));
  const [opening = ''] = /^.*?const gateway = .*?\n/s.exec(blocks[0]?.[1] ?? '') ?? [];
  return blocks.map(({ 1: block = '', index }, number) => {
    const code = block.includes('new Polygate(') ? block : `${opening}\n${block}`;
    const file = new URL(`readme-${number + 1}.ts`, folder);
    // Written only when it changes: a watcher would start anew each time.
    if (!existsSync(file) || readFileSync(file, 'utf8') !== code) writeFileSync(file, code);
    const before = Array.from(markdown.slice(0, index).matchAll(/^## (.*)$/gm));
    return { heading: before.at(-1)?.[1] ?? '', file };
  });
}

/** What the compiler has to say, with the settings of this repository. */
function compile(files: string[]): string[] {
  const path = fileURLToPath(new URL('tsconfig.json', root));
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root), {}, path);
  const program = ts.createProgram(files, options);
  const host = {
    getCanonicalFileName: String,
    getCurrentDirectory: () => '',
    getNewLine: () => '\n',
  };
  return files
    .map((file) => program.getSourceFile(file))
    .flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ])
    .map((diagnostic) => ts.formatDiagnostic(diagnostic, host));
}

/** Runs a snippet in a process and a folder of its own, against a reference gateway whose tasks are done at once. */
async function runSnippet(
  file: URL,
  { onTestFinished }: TestContext,
  fault?: Fault,
): Promise<{ mock: MockGateway; run: Outcome }> {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  if (fault !== undefined) mock.fail(fault);
  const server = await listen(mock);
  const cwd = await mkdtemp(`${tmpdir()}/polygate-readme-`);
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true });
  });
  const env = { POLYGATE_API_KEY: mock.apiKey, POLYGATE_BASE_URL: server.baseURL };
  return { mock, run: await runFromSource(file, { cwd, env }) };
}
