import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { guides, snippetsOf } from '../docs/guides.ts';
import { printed } from '../docs/printed.ts';
import { waitForOutput } from '../docs/wait-for-output.ts';
import { run } from './run.ts';

const readme = guides.find(({ path }) => path === 'README.md') ?? { path: '', text: '' };
const commands = Array.from(
  readme.text.matchAll(/^```sh\n(.*?)\n```/gms),
  ([, block = '']) => block,
);
const [install = '', start = ''] = commands[0]?.split('\n') ?? [];
const exports = commands[1] ?? '';
const app = join(inject('workspace'), 'readme');

let gateway: ChildProcess;
let greeting: string;

/** Does what the section "Install" says, with the packed package in place of the published one. */
beforeAll(async () => {
  await mkdir(app);
  await run('sh', ['-c', install.replace(/polygate$/, inject('tarball'))], app);
  // In a process group of its own, because npx starts another process.
  gateway = spawn('sh', ['-c', start], { cwd: app, detached: true });
  greeting = await waitForOutput(gateway, /POLYGATE_API_KEY=.+\n/);
});

afterAll(() => {
  if (gateway.pid !== undefined && gateway.exitCode === null) process.kill(-gateway.pid);
});

test('the gateway prints the variables that the README sets', () => {
  expect(install).toMatch(/ npm i polygate$/);
  const lines = exports.split('\n').map((line) => line.trim());
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(greeting).toContain(line);
});

describe('the snippets of the README run as pasted, one after the other', () => {
  const snippets = snippetsOf(readme).map((snippet, index) => ({ ...snippet, index }));

  test.each(snippets)('$title', async ({ title, code, index }) => {
    await writeFile(join(app, `snippet-${index}.mjs`), code);
    const output = await run('sh', ['-c', `${exports}\nnode snippet-${index}.mjs`], app);
    expect(output).toMatch(printed[title] ?? /./);
  });
});
