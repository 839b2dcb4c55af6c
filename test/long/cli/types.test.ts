import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import type { MockServer } from '../../../src/mock/node/index.ts';
import { run } from '../../tools/cli/program.ts';

const servers: MockServer[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-types-'));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

async function start(options: MockGatewayOptions = {}): Promise<Record<string, string>> {
  const mock = createMockGateway(options);
  const server = await listen(mock);
  servers.push(server);
  return { POLYGATE_BASE_URL: server.baseURL, POLYGATE_API_KEY: mock.apiKey };
}

const types = (args: string[], env: Record<string, string>) =>
  run('polygate', ['types', ...args], env);

test('writes the models, and --check names what has changed since', async () => {
  const file = join(folder, 'models.d.ts');
  const env = await start();
  expect(await types(['--check', '-o', file], env)).toEqual({
    code: 1,
    stdout: `${file} does not exist; run npx polygate types\n`,
    stderr: '',
  });
  expect(existsSync(file)).toBe(false);

  const written = await types(['-o', file], env);
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toContain(`wrote ${file}: `);
  expect(await readdir(folder)).toEqual(['models.d.ts']);
  const text = await readFile(file, 'utf8');
  expect(text).toContain('"prism-image": "1K" | "2K" | "4K";');
  expect(await types(['--check', '-o', file], env)).toMatchObject({ code: 0, stderr: '' });

  const changed = text
    .replace('"prism-sketch"', '"prism-stretch"')
    .replace('$0.0005 in', '$0.0007 in');
  await writeFile(file, changed);
  const { code, stdout } = await types(['--check', '--json', '-o', file], env);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      upToDate: false,
      differences: [
        '- image "prism-stretch"',
        expect.stringMatching(/^~ chat "aurora-chat": \$0\.0007 in.* is now \$0\.0005 in/),
        expect.stringMatching(/^\+ image "prism-sketch": \$0\.005 /),
      ],
    },
  ]);
  expect(await readFile(file, 'utf8')).toBe(changed);
  await types(['-o', file], env);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a key without models writes nothing and exits with 1', async () => {
  const file = join(folder, 'empty.d.ts');
  const { code, stdout, stderr } = await types(['-o', file], await start({ models: [] }));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe('polygate types: the service lists no models for this API key\n');
  expect(existsSync(file)).toBe(false);
});

test('a file that is not its own, or no declaration file, is not replaced', async () => {
  const env = await start();
  const file = join(folder, 'own.d.ts');
  await writeFile(file, 'export {};');
  const own = await types(['-o', file], env);
  expect(own).toMatchObject({ code: 2, stdout: '' });
  expect(own.stderr).toContain('was not written by this command');
  expect(await readFile(file, 'utf8')).toBe('export {};');
  expect(await types(['-o', join(folder, 'a.ts')], env)).toMatchObject({ code: 2, stdout: '' });
  expect(await types(['-o', join(folder, 'none', 'a.d.ts')], env)).toMatchObject({ code: 2 });
});

test('a missing key is a usage error, and a rejected one a failed call', async () => {
  const env = await start();
  const file = join(folder, 'key.d.ts');
  const { POLYGATE_BASE_URL = '' } = env;
  expect(await types(['-o', file], { POLYGATE_BASE_URL })).toMatchObject({ code: 2, stdout: '' });
  const rejected = await types(['-o', file, '--api-key', 'sk-unknown'], env);
  expect(rejected).toMatchObject({ code: 1, stdout: '' });
  expect(rejected.stderr).not.toContain('sk-unknown');
});
