import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createSavingGateway } from '../../../src/tools/cli/settings.ts';
import { eventually } from '../../support/eventually.ts';
import { lastLine, requestsTo, startService } from './service.ts';

const image = ['image', 'A harbor', '-m', 'prism-image'];

test.concurrent('image saves its result, and stdout has its name and nothing else', async () => {
  const { run, mock, read, state, folder } = await startService();
  const { code, stdout } = await run([...image, '-o', 'out/harbor.{ext}']);
  expect([code, stdout]).toEqual([0, 'out/harbor.svg\n']);
  expect(read('out/harbor.svg')).toContain('<svg');
  expect(mock.invoice).toHaveLength(1);
  const [stored] = state();
  expect(stored?.entry).toMatchObject({
    kind: 'image',
    status: 'succeeded',
    baseURL: expect.any(String),
  });
  expect(stored?.text).not.toContain('A harbor');
  expect(stored?.text).not.toContain(mock.apiKey);
  const tasks = join(folder, '.state', 'polygate', 'tasks');
  const [name = ''] = readdirSync(tasks);
  expect(statSync(join(tasks, name)).mode & 0o777).toBe(0o600);
});

test.concurrent('key and request are stored before the POST, so that a kill at that moment loses nothing', async () => {
  const { start, run, mock, state, read } = await startService();
  mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true, times: 1 });
  const program = start([...image, '-o', 'harbor.svg']);
  program.child.stdin?.end();
  await eventually(() => expect(requestsTo(mock, 'POST', '/v1/images')).toHaveLength(1));
  await eventually(() => expect(mock.invoice).toHaveLength(1));
  const [stored] = state();
  expect(stored?.entry).toMatchObject({
    idempotencyKey: mock.invoice[0]?.idempotencyKey,
    request: { prompt: 'A harbor' },
  });
  const { stderr } = await program.end('SIGKILL');
  // The service may not have accepted anything yet, so there is nothing to continue.
  expect([stderr, mock.invoice.length]).toEqual(['', 1]);
  const list = await run(['task', 'list']);
  const [, key = ''] = /\nkey (\S+) +image +unknown/.exec(list.stdout) ?? [];
  expect(key).toBe(mock.invoice[0]?.idempotencyKey);
  const waited = await run(['task', 'wait', key]);
  expect([waited.code, waited.stdout]).toEqual([0, expect.stringContaining('harbor.svg\n')]);
  expect(read('harbor.svg')).toContain('<svg');
  expect(mock.invoice).toHaveLength(1);
  expect(state()[0]?.text).not.toContain('A harbor');
});

test.concurrent('Ctrl-C during the wait: the last line continues, without a receipt and without a second charge', async () => {
  const { start, run, mock, read, state } = await startService({
    clock: 'virtual',
    tasks: { durationMs: 4_000 },
  });
  const program = start([...image, '-o', 'harbor.svg', '--receipt', 'r.json']);
  program.child.stdin?.end();
  await eventually(() => expect(program.stderr).toContain('If this is interrupted'));
  // The prompt is kept only until the receipt is there.
  expect(state()[0]?.text).not.toContain('A harbor');
  await eventually(() => expect(JSON.parse(read('r.json'))).toMatchObject({ v: 1, kind: 'image' }));
  const { code, stdout, stderr } = await program.end('SIGINT');
  expect([code, stdout]).toEqual([130, '']);
  expect(stderr).toMatch(/^If this is interrupted: npx polygate task wait task_\S+\n(?!If)/);
  expect(stderr).toContain('The task was charged $0.02.');
  const [, id = ''] =
    /^To continue: npx polygate task wait (task_\S+)$/.exec(lastLine(stderr)) ?? [];
  const got = await run(['task', 'get', id, '--json']);
  expect(JSON.parse(got.stdout)).toMatchObject({ id, kind: 'image', usd: 0.02 });
  await mock.clock.advance(4_000);
  const waited = await run(['task', 'wait', id, '--json']);
  expect([waited.code, JSON.parse(waited.stdout)]).toMatchObject([
    0,
    { taskId: id, status: 'succeeded', usd: 0.02, files: [expect.stringContaining('harbor.svg')] },
  ]);
  expect(read('harbor.svg')).toContain('<svg');
  expect(mock.invoice).toHaveLength(1);
});

test.concurrent('an existing file stops the command before anything is paid for, unless it is to be replaced', async () => {
  const { run, mock, folder, read } = await startService();
  writeFileSync(join(folder, 'harbor.png'), 'mine');
  for (const output of ['harbor.png', 'harbor.{ext}']) {
    const { code, stderr } = await run([...image, '-o', output]);
    const message = 'polygate image: harbor.png exists; --force replaces it (see --help)\n';
    expect([code, stderr]).toEqual([2, `${message}Nothing was charged.\n`]);
  }
  expect([read('harbor.png'), mock.invoice]).toEqual(['mine', []]);
  const { code } = await run([...image, '-o', 'harbor.png', '--force']);
  expect([code, read('harbor.png').startsWith('<svg')]).toEqual([0, true]);
});

test.concurrent('a file that appears during the wait is kept, and further results are numbered', async () => {
  const { start, folder, read, mock } = await startService({ tasks: { durationMs: 1_500 } });
  const program = start([...image, '--param', 'n=2', '-o', 'harbor.{ext}']);
  program.child.stdin?.end();
  await eventually(() => expect(mock.invoice).toHaveLength(1));
  writeFileSync(join(folder, 'harbor.png'), 'mine');
  const { code, stdout } = await program.end();
  expect(code).toBe(0);
  expect(read('harbor.png')).toBe('mine');
  const files = stdout.trim().split('\n');
  expect(new Set(files).size).toBe(2);
  expect(files).toContain('harbor-2.svg');
  for (const file of files) expect(read(file)).toContain('<svg');
});

test.concurrent('--no-wait prints the receipt, with which another command waits', async () => {
  const { run, mock, folder, read } = await startService();
  const { code, stdout, stderr } = await run([
    'speech',
    'Welcome',
    '-m',
    'echo-speech',
    '--param',
    'voice=narrator-1',
    '--no-wait',
  ]);
  expect([code, JSON.parse(stdout), stderr]).toMatchObject([0, { v: 1, kind: 'audio' }, '']);
  writeFileSync(join(folder, 'receipt.json'), stdout);
  const waited = await run(['task', 'wait', 'receipt.json', '-o', 'welcome.{ext}']);
  expect([waited.code, waited.stdout]).toEqual([0, 'welcome.wav\n']);
  expect(read('welcome.wav')).toContain('WAVE');
  expect(mock.invoice).toHaveLength(1);
});

test.concurrent('the same key is paid for once, and another request with it is refused', async () => {
  const { run, mock } = await startService();
  const keyed = [...image, '--idempotency-key', 'my-key', '--force', '-o', 'a.svg'];
  expect([(await run(keyed)).code, (await run(keyed)).code]).toEqual([0, 0]);
  expect(mock.invoice).toHaveLength(1);
  const other = await run(['image', 'Another', '-m', 'prism-image', '--idempotency-key', 'my-key']);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('belongs to another')]);
});

test.concurrent('a request that was rejected leaves nothing behind, and says that nothing was charged', async () => {
  const { run, mock, state } = await startService({ wallet: { usd: 0.001 } });
  const { code, stderr } = await run(image);
  expect(code).toBe(1);
  expect(stderr).toMatch(/402[^]*Nothing was charged/);
  expect(stderr).not.toContain('To continue');
  expect(stderr).not.toMatch(/^\S*.*key:/im);
  expect([state(), mock.invoice]).toEqual([[], []]);
});

test.concurrent('a lost response keeps the key: exit code 3, and the command that continues', async () => {
  const { run, mock } = await startService();
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const lost = await run([...image, '-o', 'a.svg']);
  expect([lost.code, mock.invoice.length]).toEqual([3, 1]);
  const [, key = ''] =
    /^To continue: npx polygate task wait (\S+)$/.exec(lastLine(lost.stderr)) ?? [];
  expect(lost.stderr).toContain(`Idempotency key: ${key}\n`);
  mock.clearFaults();
  const waited = await run(['task', 'wait', key]);
  expect([waited.code, mock.invoice.length]).toEqual([0, 1]);
});

test.concurrent('task list says that there are no tasks', async () => {
  const { run } = await startService();
  const stderr = 'No task was submitted on this machine.\n';
  expect(await run(['task', 'list'])).toEqual({ code: 0, stdout: '', stderr });
  expect(await run(['task', 'list', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

test.concurrent('a failed task exits with 1', async () => {
  const { run } = await startService({ tasks: { durationMs: 0, outcome: 'failed' } });
  const { code, stdout, stderr } = await run(image);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('The failed task was charged $0.02.');
  const list = await run(['task', 'list']);
  expect(list.stdout).toMatch(/task_\S+ +image +failed +\$0\.02/);
});

test.concurrent('a result that cannot be saved exits with 3, and is saved later', async () => {
  const { run, mock, read } = await startService();
  mock.fail({ route: 'GET /media/{task}/{file}', status: 404 });
  const failed = await run([...image, '-o', 'a.svg']);
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('was charged $0.02')]);
  mock.clearFaults();
  const [, id = ''] = /task wait (\S+)$/.exec(lastLine(failed.stderr)) ?? [];
  expect((await run(['task', 'wait', id])).code).toBe(0);
  expect([read('a.svg').startsWith('<svg'), mock.invoice.length]).toEqual([true, 1]);
  const again = await run(['task', 'wait', id]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('a.svg exists')]);
  expect(again.stderr).not.toContain('Nothing was charged');
});

test.concurrent('the id of a task from elsewhere needs its kind', async () => {
  const { run, env, folder } = await startService();
  const sent = await run([...image, '--no-wait']);
  const { id } = JSON.parse(sent.stdout);
  const elsewhere = { ...env, XDG_STATE_HOME: join(folder, '.other') };
  const { runIn } = await import('../../tools/cli/program.ts');
  const unknown = await runIn(folder, ['task', 'get', id], elsewhere);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--kind')]);
  const known = await runIn(folder, ['task', 'wait', id, '--kind', 'image'], elsewhere);
  expect([known.code, existsSync(join(folder, `${id}.svg`))]).toEqual([0, true]);
  const missing = await runIn(folder, ['task', 'wait', 'task_x', '--kind', 'image'], elsewhere);
  expect(missing.stderr).not.toContain('Idempotency key');
});

test.concurrent('a task that cannot be polled once exits with 1, and nothing is said about a charge', async () => {
  const { run, mock } = await startService();
  mock.fail({ route: 'GET /v1/images/tasks/{id}', status: 403 });
  mock.fail({ route: 'GET /v1/images/generations/{id}', status: 403 });
  const { code, stdout, stderr } = await run(['task', 'get', 'task_x', '--kind', 'image']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('polygate task: 403');
  expect(stderr).not.toMatch(/charged|costs nothing/);
});

test.concurrent('a request is never sent again to another service or with another API key', async () => {
  const { run, mock, env, folder } = await startService();
  const other = await startService({ keys: [{ key: 'sk-other', user: 'other' }] });
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const lost = await run([...image, '-o', 'a.svg']);
  const [, key = ''] = /task wait (\S+)$/.exec(lastLine(lost.stderr)) ?? [];
  const { runIn } = await import('../../tools/cli/program.ts');
  const moved = await runIn(folder, ['task', 'wait', key], {
    ...env,
    POLYGATE_BASE_URL: other.baseURL,
    POLYGATE_API_KEY: 'sk-other',
  });
  expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining('was submitted to')]);
  const changed = await runIn(folder, ['task', 'wait', key], { ...env, POLYGATE_API_KEY: 'sk-2' });
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('another API key')]);
  expect([requestsTo(other.mock, 'POST', '/v1'), mock.invoice.length]).toEqual([[], 1]);
});

test.concurrent('a request is continued at another name of this machine, and is charged once', async () => {
  const { mock, env, folder, baseURL } = await startService();
  const { runIn } = await import('../../tools/cli/program.ts');
  const localhost = { ...env, POLYGATE_BASE_URL: baseURL.replace('127.0.0.1', 'localhost') };
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 5 });
  const lost = await runIn(folder, [...image, '-o', 'a.svg', '--idempotency-key', 'k1'], env);
  expect([lost.code, mock.invoice.length]).toEqual([3, 1]);
  mock.clearFaults();
  // The state folder finds the request by its key and account.
  const other = await runIn(
    folder,
    ['image', 'Another', '-m', 'prism-image', '--idempotency-key', 'k1'],
    localhost,
  );
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('another request')]);
  const { code } = await runIn(folder, ['task', 'wait', 'k1'], localhost);
  expect([code, existsSync(join(folder, 'a.svg')), mock.invoice.length]).toEqual([0, true, 1]);
});

test.concurrent('a response that is never understood leads to the task that its headers name', async () => {
  const { run, mock, read } = await startService();
  mock.fail({ route: 'POST /v1/images/tasks', malformed: true });
  const { code, stderr } = await run([...image, '-o', 'a.svg']);
  expect([code, lastLine(stderr)]).toEqual([0, 'Charged: $0.02']);
  expect([read('a.svg'), mock.invoice.length]).toEqual([expect.stringContaining('<svg'), 1]);
});

test.concurrent('the charge of an attempt that was repeated is part of what a command has charged', async () => {
  const { run, mock } = await startService();
  const charged = { status: 502, headers: { 'x-svc-charge-usd': '0.02' } };
  mock.fail({ route: 'POST /v1/images/tasks', ...charged, times: 1 });
  const { stdout, stderr } = await run([...image, '-o', 'a.svg']);
  expect([stdout, lastLine(stderr)]).toEqual(['a.svg\n', 'Charged: $0.04']);
});

test.concurrent('a key that cannot be sent is refused before anything is stored', async () => {
  const { run, folder } = await startService();
  for (const key of ['', 'a b']) {
    const { code, stderr } = await run([...image, '--idempotency-key', key]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be 1 to 200 visible ASCII')]);
  }
  expect(existsSync(join(folder, '.state'))).toBe(false);
});

test('results on this machine can be saved only from a gateway on this machine, and from no private host', async () => {
  const apiKey = 'sk-a';
  const remote = createSavingGateway({ baseURL: 'https://gateway.example', apiKey });
  await expect(remote.download('http://127.0.0.1:9/a.png')).rejects.toThrow(/public https/);
  const { baseURL } = await startService();
  const local = createSavingGateway({ baseURL, apiKey });
  await expect(local.download('http://10.0.0.1/a.png')).rejects.toThrow(/not requested/);
  await expect(local.download('http://169.254.169.254/latest')).rejects.toThrow(/not requested/);
  const response = await local.download(`${baseURL}/v1/status`);
  expect(response.status).toBe(200);
  await response.body?.cancel();
});
