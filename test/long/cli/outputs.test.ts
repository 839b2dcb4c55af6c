import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { commandLine, Program } from '../../tools/cli/program.ts';
import { afterTests, lastLine, requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

const image = ['image', 'A harbor', '-m', 'prism-image'];

/** Runs a command whose standard output cannot be written. */
const runFull = async ({ folder, env }: Service, args: readonly string[]) => {
  const command = commandLine('polygate', args)
    .map((part) => `'${part}'`)
    .join(' ');
  const program = new Program(['sh', '-c', `${command} > /dev/full`], env, folder);
  program.child.stdin?.end();
  return program.end();
};

const hasFull = existsSync('/dev/full');

test.skipIf(!hasFull)(
  'if stdout cannot be written, image says what was charged and where its result is',
  async () => {
    const service = await startService();
    const saved = await runFull(service, [...image, '-o', 'a.svg']);
    expect(saved.code).toBe(1);
    expect(saved.stderr).toMatch(
      /output could not be written[^]*was charged \$0\.02\.[^]*\nSaved: a\.svg\n$/,
    );
    const receipt = await runFull(service, [...image, '--no-wait']);
    expect([receipt.code, receipt.stderr]).toEqual([
      3,
      expect.stringContaining('was charged $0.02.'),
    ]);
    const [, id = ''] =
      /^To continue: npx polygate task wait (task_\S+)$/.exec(lastLine(receipt.stderr)) ?? [];
    expect((await service.run(['task', 'wait', id, '-o', 'b.svg'])).code).toBe(0);
    expect([service.read('b.svg').slice(0, 4), service.mock.invoice.length]).toEqual(['<svg', 2]);
  },
);

test.skipIf(!hasFull)(
  'if stdout cannot be written, no command says something false about a charge',
  async () => {
    const service = await startService();
    writeFileSync(join(service.folder, 'p.csv'), 'id,prompt\na,A\n');
    const batch = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1'];
    const results = await Promise.all(
      [batch, ['chat', 'hi', '-m', 'aurora-chat'], ['models'], ['image', '--help'], ['doctor']].map(
        (args) => runFull(service, args),
      ),
    );
    expect(results.map(({ code }) => code)).toEqual([3, 3, 1, 2, 1]);
    const [first, second, third, fourth] = results.map(({ stderr }) => stderr);
    expect(first).toMatch(/may have been charged\.\nTo continue: run the same command again\n$/);
    expect(second).toMatch(/may have been charged\.\n$/);
    expect(third).not.toContain('charged');
    expect(fourth).toContain('Nothing was charged.');
    const again = await service.run(batch);
    expect([again.code, service.mock.invoice.length]).toEqual([0, 2]);
  },
);

test.concurrent.each([
  ['-o', 'folder'],
  ['-o', 'folder', '--force'],
  ['-o', 'r.json', '--receipt', 'r.json', '--force'],
  ['-o', 'r.json', '--receipt', './r-2.json', '--param', 'n=2', '--force'],
  ['--receipt', 'folder', '--force'],
])('image with %j, %j, %j is refused before anything is paid for', async (...more) => {
  const { run, mock, folder } = await startService();
  mkdirSync(join(folder, 'folder'));
  const { code, stderr } = await run([...image, ...more]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is a folder|must be different files/)]);
  expect([mock.invoice, readdirSync(folder)]).toEqual([[], ['folder']]);
});

test.concurrent('a result that would replace a folder after all gets another name', async () => {
  const { run, folder, mock } = await startService();
  writeFileSync(join(folder, 'p.csv'), 'id,prompt\na,A\n');
  mkdirSync(join(folder, 'a.svg'));
  const output = ['-o', 'a.{ext}', '--force'];
  const { code, stdout } = await run([...image, ...output]);
  expect([code, stdout]).toEqual([0, 'a-2.svg\n']);
  const batch = ['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1', '-o', '{id}.{ext}'];
  expect((await run([...batch, '--force'])).code).toBe(0);
  expect(mock.invoice).toHaveLength(2);
});

test.concurrent('task wait does not replace the receipt that it reads', async () => {
  const { run, folder, read } = await startService();
  const { stdout } = await run([...image, '--no-wait']);
  writeFileSync(join(folder, 'r.json'), stdout);
  const { code, stderr } = await run(['task', 'wait', 'r.json', '-o', './r.json', '--force']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('must be different files')]);
  expect(read('r.json')).toBe(stdout);
});

test.concurrent('a chat that was cut off at the token limit says so, and exits with 0', async () => {
  const { run } = await startService();
  const chat = ['chat', 'Why do ships float?', '-m', 'aurora-chat', '--param', 'max_tokens=2'];
  const { code, stdout, stderr } = await run(chat);
  expect([code, stdout === '']).toEqual([0, false]);
  expect(stderr).toMatch(/^The response was cut off at the token limit .*max_tokens/);
  const json = await run([...chat, '--json']);
  expect([json.code, json.stderr]).toEqual([0, stderr]);
  expect(JSON.parse(json.stdout).choices[0].finish_reason).toBe('length');
  const whole = await run(['chat', 'Hi', '-m', 'aurora-chat']);
  expect([whole.code, whole.stderr]).toEqual([0, expect.stringMatching(/^Charged: \$\S+\n$/)]);
});

/** An address of this machine that other machines of a private network can reach. */
const privateAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test
  .skipIf(!/^(10|172|192)\./.test(privateAddress ?? ''))
  .concurrent(
    'a result on this machine that redirects to a private host is not fetched from there',
    async () => {
      const { run, mock, folder } = await startService();
      const requests: string[] = [];
      const server = createServer((request, response) => {
        requests.push(request.url ?? '');
        response.setHeader('content-type', 'image/png').end('secret');
      }).listen(0, '0.0.0.0');
      await once(server, 'listening');
      afterTests(() => server.close());
      const { port } = server.address() as AddressInfo;
      const location = `http://${privateAddress}:${port}/secret.png`;
      mock.fail({ route: 'GET /media/{task}/{file}', status: 302, headers: { location } });
      writeFileSync(join(folder, 'p.csv'), 'id,prompt\na,A\n');
      const [single, batch] = await Promise.all([
        run([...image, '-o', 'b.{ext}']),
        run(['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1']),
      ]);
      expect([single.code, single.stderr]).toEqual([3, expect.stringContaining('not requested')]);
      expect([batch.code, batch.stderr]).toEqual([3, expect.stringContaining('not requested')]);
      const [, id = ''] = /task wait (\S+)$/.exec(lastLine(single.stderr)) ?? [];
      expect(requestsTo(mock, 'GET', '/media').length).toBeGreaterThan(1);
      expect(requests).toEqual([]);
      // A redirect on this machine is followed.
      mock.clearFaults();
      const headers = { location: `http://127.0.0.1:${port}/secret.png` };
      mock.fail({ route: 'GET /media/{task}/{file}', status: 302, headers });
      expect((await run(['task', 'wait', id])).code).toBe(0);
      expect(requests).toEqual(['/secret.png']);
    },
  );
