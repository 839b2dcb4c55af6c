import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { image } from '../../mock/caller.ts';
import { run, startMock } from '../../tools/cli/program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-state-'));
});
afterAll(() => rm(folder, { recursive: true }));

const key = { 'x-idempotency-key': 'row-1' };

test.concurrent.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'after %s, a restart keeps wallet, invoice and tasks, and a replay is not charged again',
  async (signal) => {
    const file = join(folder, `${signal}.json`);
    const lost = ['--fail', 'POST /v1/images/tasks:reset-after:1'];
    const first = await startMock('--state', file, '--wallet', '1', ...lost);
    expect(await first.send('/v1/images/tasks', image, key)).toBeUndefined();
    const { code, stdout } = await first.program.end(signal);
    expect(code).toBe(signal === 'SIGKILL' ? null : 0);
    expect(stdout).toContain('charged $0.02, response lost');
    const second = await startMock('--state', file, '--wallet', '500');
    const replay = await second.send('/v1/images/tasks', image, key);
    expect(replay?.headers.get('x-svc-idempotent-replay')).toBe('true');
    const { id } = await replay!.json();
    expect(await second.read('/__mock/invoice')).toMatchObject([{ taskId: id, usd: 0.02 }]);
    expect((await second.read('/v1/account')).balance.usd).toBe(0.98);
    expect((await second.read(`/v1/images/tasks/${id}`)).id).toBe(id);
    await second.program.end('SIGINT');
    expect((await readdir(folder)).filter((name) => name.startsWith(`${signal}.json.`))).toEqual(
      [],
    );
  },
);

test.concurrent('a state file contains no API keys, and only its owner can read it', async () => {
  const file = join(folder, 'private.json');
  const { program, send } = await startMock('--state', file, '--key', 'sk-mock-demo');
  await send('/v1/images/tasks', image);
  await program.end('SIGINT');
  expect(await readFile(file, 'utf8')).not.toContain('sk-mock-demo');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.concurrent.each([
  ['not-json', 'xx', /is not a state file of this command: it is not a JSON object/],
  ['list', '[]', /is not a state file of this command/],
  ['other', '{"a":1}', /is not the state of a mock gateway: `format` is required/],
  ['newer', '{"format":"polygate-mock","version":2}', /has version 2, but .* Update polygate\./],
])('the state file %s is a clear error, and is not changed', async (name, content, message) => {
  const file = join(folder, `${name}.json`);
  await writeFile(file, content);
  const { code, stdout, stderr } = await run('polygate-mock', ['--port', '0', '--state', file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test.concurrent('a gateway ends when another process has changed its state file, so that no charge is lost', async () => {
  const file = join(folder, 'shared.json');
  const first = await startMock('--state', file);
  await first.send('/v1/images/tasks', image);
  const second = await startMock('--state', file);
  await second.send('/v1/images/tasks', image);
  expect(await first.send('/v1/images/tasks', image)).toBeUndefined();
  const { code, stderr } = await first.program.end();
  expect([code, stderr]).toEqual([
    1,
    `polygate mock: another process has changed the state file ${file}. Give each gateway a different file\n`,
  ]);
  await second.program.end('SIGKILL');
  expect(JSON.parse(await readFile(file, 'utf8')).invoice).toHaveLength(2);
});

test.concurrent('a state file that was removed is created again', async () => {
  const file = join(folder, 'removed.json');
  const { program, send } = await startMock('--state', file);
  await rm(file);
  await send('/v1/images/tasks', image);
  await program.end('SIGKILL');
  expect(JSON.parse(await readFile(file, 'utf8')).invoice).toHaveLength(1);
});

test.concurrent('a path that cannot be read or written is an error at the start', async () => {
  const missing = join(folder, 'missing', 'state.json');
  for (const [file, message] of [
    [folder, `the state file ${folder} is a directory; name a file in it\n`],
    [missing, `cannot write the state file ${missing}: its directory does not exist\n`],
  ] as const) {
    const result = await run('polygate', ['mock', '--port', '0', '--state', file]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(`polygate mock: ${message}`);
  }
});
