import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { formatUsd } from '../../../src/tools/money.ts';
import { eventually } from '../../support/eventually.ts';
import { commandLine, Program, run } from '../../tools/cli/program.ts';
import { requestsTo, startService } from './service.ts';

const escape = '\u001B';

test.concurrent('chat prints the response and nothing else, and passes on model, system, params and images', async () => {
  const { mock, run: polygate } = await startService();
  const { code, stdout, stderr } = await polygate([
    '--param',
    'temperature=0.2',
    'chat',
    'Why do ships float?',
    '-m',
    'aurora-chat',
    '--system',
    'Be brief.',
    '--image',
    'https://images.example/ship.png',
  ]);
  expect([code, stderr]).toEqual([0, `Charged: ${formatUsd(mock.invoice[0]?.usd ?? NaN)}\n`]);
  expect(stdout).toMatch(/^You said: Why do ships float\?[^]*\n$/);
  expect(stdout).not.toContain(escape);
  const [request] = requestsTo(mock, 'POST', '/v1/chat/completions');
  expect(request?.body).toMatchObject({
    model: 'aurora-chat',
    temperature: 0.2,
    stream: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Why do ships float?' },
          { type: 'image_url', image_url: { url: 'https://images.example/ship.png' } },
        ],
      },
    ],
  });
});

test.concurrent('chat reads its prompt from stdin, and --json prints the completion', async () => {
  const { mock, run: polygate } = await startService();
  const chat = ['--json', 'chat', '-m', 'aurora-chat'];
  const { code, stdout, stderr } = await polygate(chat, 'Hello\n');
  expect([code, stderr]).toEqual([0, `Charged: ${formatUsd(mock.invoice[0]?.usd ?? NaN)}\n`]);
  const completion = JSON.parse(stdout);
  expect(completion.choices[0].message.content).toMatch(/^You said: Hello/);
  expect(completion.usd).toBe(mock.invoice[0]?.usd);
});

test.concurrent('a chat that is cut off prints what has arrived, and exits with 3', async () => {
  const { mock, run: polygate } = await startService();
  mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 5 });
  const { code, stdout, stderr } = await polygate(['chat', 'Hello', '-m', 'aurora-chat']);
  expect(code).toBe(3);
  expect(stdout).not.toBe('');
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stderr).toMatch(/may have been charged/);
  expect(requestsTo(mock, 'POST', '/v1/chat')).toHaveLength(1);
});

test.concurrent('Ctrl-C ends a chat with what has arrived', async () => {
  const { mock, start } = await startService();
  mock.fail({ route: 'POST /v1/chat/completions', stallBody: 1_500 });
  const program = start(['chat', 'Hello', '-m', 'aurora-chat']);
  program.child.stdin?.end();
  await program.printed(/You said/);
  const { code, stdout } = await program.end('SIGINT');
  expect(code).toBe(130);
  expect(stdout.endsWith('\n')).toBe(true);
});

test.concurrent('a chat ends quietly when what reads its output has ended', async () => {
  const { start } = await startService({ chunkDelayMs: 100 });
  const program = start(['chat', 'Hello', '-m', 'aurora-chat']);
  program.child.stdin?.end();
  await program.printed(/You/);
  program.child.stdout?.destroy();
  expect(await program.end()).toMatchObject({ code: 141, stderr: '' });
});

test.concurrent.each([
  [['chat', 'hi'], 'no model: use -m <id>'],
  [['chat', '', '-m', 'm'], 'the prompt is empty'],
  [['chat', 'a', 'b', '-m', 'm'], 'one prompt is expected, not 2'],
  [['chat', 'hi', '-m', 'm', '--param', 'x'], '--param must be'],
  [['image', 'hi', '-m', 'm', '-o', '{x}.png'], '{x} is unknown'],
  [['image', 'hi', '-m', 'm', '-o', '/proc/x/y.png'], 'cannot write to the folder'],
  [['task'], 'use task list, task get or task wait'],
  [['task', 'wiat', 'x'], 'unknown action wiat; did you mean wait?'],
  [['task', 'wait', 'task_x'], 'is neither a task of this machine nor a file'],
  [['batch', 'missing.csv'], 'cannot read missing.csv'],
  [['batch', '-'], 'needs --journal'],
  [['completion', 'bsh'], 'unknown shell bsh; did you mean bash?'],
  [['init'], 'without a terminal, --base-url and --api-key are required'],
])('polygate %j exits with 2, before anything is sent', async (args, message) => {
  const { mock, run: polygate, env, folder } = await startService();
  const isInit = args[0] === 'init';
  const { code, stdout, stderr } = isInit
    ? await run('polygate', args, { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME })
    : await polygate(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(mock.invoice).toEqual([]);
  expect(existsSync(join(folder, '.state'))).toBe(false);
});

test.concurrent('models and balance print a table, or JSON', async () => {
  const { run: polygate } = await startService();
  const table = await polygate(['models', '--type', 'image']);
  expect(table.stdout).toMatch(/^ID +TYPE +PRICE\nprism-image +image +\$0\.02 per image \(1K\)/);
  const models = await polygate(['--json', 'models', '--type=audio']);
  expect(JSON.parse(models.stdout).map(({ id }: { id: string }) => id)).toContain('echo-speech');
  const balance = await polygate(['balance', '--json']);
  expect(JSON.parse(balance.stdout)).toMatchObject({
    wallet: { usd: 1000 },
    concurrency: { limit: 8 },
  });
  const text = await polygate(['balance']);
  expect(text.stdout).toMatch(
    /^Wallet +\$1000\.00\nKey quota +\$1000\.00\nKey used +\$0\.00\nConcurrency +8 parallel requests\n$/,
  );
  const none = await polygate(['models', '--type', 'images']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there are chat, image,')]);
});

test.concurrent('an API key that the service rejects exits with 1, and is never printed', async () => {
  const { run: polygate } = await startService();
  for (const command of [['models'], ['balance'], ['chat', 'hi', '-m', 'aurora-chat']]) {
    const { code, stdout, stderr } = await polygate([...command, '--api-key', 'canary-1234567']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain('canary');
  }
});

test.concurrent('init stores what the other commands use, readable by its owner only', async () => {
  const { baseURL, mock, env, folder } = await startService();
  const config = { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME ?? '', HOME: folder };
  const path = join(folder, '.config', 'polygate', 'config.json');
  const bad = await run('polygate', ['init', '--base-url', baseURL, '--api-key', 'sk-no'], config);
  expect([bad.code, existsSync(path)]).toEqual([1, false]);
  expect(bad.stderr).toContain('because the service did not accept the API key.\n');
  const args = ['init', '--base-url', baseURL, '--api-key', mock.apiKey, '--json'];
  const { code, stdout } = await run('polygate', args, config);
  expect([code, JSON.parse(stdout)]).toEqual([0, { path, ok: true, failed: [] }]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ baseURL, apiKey: mock.apiKey });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await run('polygate', ['balance'], config)).code).toBe(0);
  // Options and environment variables take precedence over the file.
  const other = await run('polygate', ['balance'], { ...config, POLYGATE_API_KEY: 'sk-no' });
  expect(other.code).toBe(1);
  chmodSync(path, 0o644);
  const refused = await run('polygate', ['balance'], config);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(`other users can read ${path}`);
});

test.concurrent('the stored API key is sent to no other service than the one it was stored for', async () => {
  const own = await startService();
  const other = await startService();
  const config = { XDG_CONFIG_HOME: own.env.XDG_CONFIG_HOME ?? '' };
  const stored = ['--base-url', own.baseURL, '--api-key', own.mock.apiKey];
  expect((await run('polygate', ['init', ...stored], config)).code).toBe(0);
  const before = other.mock.requests.length;
  const byOption = await run('polygate', ['balance', '--base-url', other.baseURL], config);
  const environment = { ...config, POLYGATE_BASE_URL: other.baseURL };
  const byEnvironment = await run('polygate', ['balance'], environment);
  for (const { code, stdout, stderr } of [byOption, byEnvironment]) {
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`is for ${new URL(own.baseURL).host}, and is not sent to`);
    expect(stderr).not.toContain(own.mock.apiKey);
  }
  expect(other.mock.requests).toHaveLength(before);
  // Other names of the same service, and a key that is given, are fine.
  const alias = own.baseURL.replace('127.0.0.1', 'localhost');
  const same = await run('polygate', ['balance', '--base-url', alias], config);
  const given = ['balance', '--base-url', other.baseURL, '--api-key', other.mock.apiKey];
  expect([same.code, (await run('polygate', given, config)).code]).toEqual([0, 0]);
});

test.concurrent('init says that the service was not reached', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const args = ['init', '--base-url', `http://127.0.0.1:${port}`, '--api-key', 'sk-1'];
  const { code, stderr } = await run('polygate', args);
  expect([code, stderr]).toEqual([1, expect.stringContaining('refuses connections')]);
  expect(stderr).toMatch(/\nNothing was written, because the service was not reached\.\n$/);
});

test.concurrent('init prints two lines that export to programs what it has stored', async () => {
  const { baseURL, mock, env } = await startService();
  const config = { XDG_CONFIG_HOME: `${env.XDG_CONFIG_HOME} it's` };
  const args = ['init', '--base-url', baseURL, '--api-key', mock.apiKey];
  const { code, stderr } = await run('polygate', args, config);
  expect([code, stderr]).toEqual([0, expect.stringContaining('not this file')]);
  expect(stderr).not.toMatch(new RegExp(`${mock.apiKey}|another value`));
  const other = await run('polygate', args, { ...config, POLYGATE_API_KEY: 'sk-other' });
  expect(other.stderr).toMatch(/POLYGATE_API_KEY has another value, which commands use, too\.\n$/);
  const lines = stderr.split('\n').filter((line) => line.includes('export '));
  expect(lines).toHaveLength(2);
  const exported = stderr.slice(stderr.indexOf('  export '));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  const script = `${exported}\necho "$POLYGATE_BASE_URL $POLYGATE_API_KEY"`;
  const shell = await new Program(['bash', '-c', script]).end();
  expect(shell).toEqual({ code: 0, stdout: `${baseURL} ${mock.apiKey}\n`, stderr: '' });
});

test.concurrent('the examples of every help text work when they are pasted', async () => {
  const { run: polygate, folder } = await startService();
  const csv = 'id,prompt\nharbor,A harbor\nlighthouse,A lighthouse\n';
  writeFileSync(join(folder, 'prompts.csv'), csv);
  writeFileSync(join(folder, 'questions.csv'), csv);
  const seen: string[] = [];
  for (const command of [
    'chat',
    'image',
    'video',
    'music',
    'speech',
    'batch',
    'task',
    'models',
    'voices',
    'balance',
    'doctor',
    'init',
    'completion',
  ]) {
    const { stdout } = await polygate([command, '--help']);
    const [, examples = ''] = /\nExamples?(?:, .*)?:\n([^]*?)\n\n/.exec(stdout) ?? [];
    const lines = examples
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .filter((line) => / {2}\S/.test(line));
    expect([command, lines.length > 0]).toEqual([command, true]);
    for (const line of lines) {
      seen.push(line);
      if (/^ +(git|npx polygate (completion|init))/.test(line)) continue;
      const args = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        (match) => match[1] ?? match[2] ?? match[3] ?? '',
      );
      const result = await polygate(args.slice(2));
      expect([line, result.code, result.code === 0 ? '' : result.stderr]).toEqual([line, 0, '']);
    }
  }
  for (const file of [
    'harbor.png',
    'harbor.mp4',
    'harbor.wav',
    'welcome.wav',
    'out/harbor.svg',
    'questions.answer.csv',
  ]) {
    expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
  }
  expect(seen.length).toBeGreaterThan(12);
});

test.concurrent('| head ends a command quietly', async () => {
  const { env } = await startService();
  const models = commandLine('polygate', ['models', '--json'])
    .map((part) => `'${part}'`)
    .join(' ');
  const shell = ['bash', '-c', `set -o pipefail; ${models} | head -1`];
  const { code, stdout, stderr } = await new Program(shell, env).end();
  expect([stdout, stderr]).toEqual(['[\n', '']);
  expect([0, 141]).toContain(code);
});

test.concurrent('a batch of one column needs nothing but a prompt', async () => {
  const { run: polygate, folder, lines } = await startService();
  writeFileSync(join(folder, 'p.csv'), 'prompt\nA harbor\n');
  const result = await polygate(['batch', 'p.csv', '-m', 'prism-image', '--max-usd', '1']);
  expect(result.code).toBe(0);
  await eventually(() => expect(lines('p.csv.results.jsonl')[0].files).toEqual(['1.svg']));
});
