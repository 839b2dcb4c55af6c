import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

import { Polygate } from 'polygate';
import { expect, test } from 'vitest';

import manifest from '../../../package.json' with { type: 'json' };
import { createMockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { logLine } from '../../../src/tools/cli/mock/command.ts';
import { callerOf, chat, image } from '../../mock/caller.ts';

/** Node's default compile cache, which makes starting the command several times faster. */
const compileCache = `${tmpdir()}/node-compile-cache`;
const path = '/v1/images/tasks';
const command = fileURLToPath(new URL('../../../src/tools/cli/polygate-mock.ts', import.meta.url));

/** Runs the command until it exits, or interrupts it as soon as `onOutput` resolves to true. */
async function run(
  args: string[],
  onOutput: (text: string) => Promise<boolean> = async () => false,
) {
  const env = { ...process.env, FORCE_COLOR: undefined, NODE_COMPILE_CACHE: compileCache };
  const child = spawn(process.execPath, [command, ...args], { env });
  let output = '';
  let errors = '';
  child.stderr.on('data', (bytes) => (errors += String(bytes)));
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
    void onOutput(output).then((enough) => enough && child.kill('SIGINT'));
  });
  const [code] = await once(child, 'close');
  return { code, output, errors };
}

test('the command prints its URL, serves requests, logs a line for each, and stops on Ctrl-C', async () => {
  let sent = false;
  let id: unknown;
  const args = ['--port', '0', '--key', 'sk-test', '--seed', 'x', '--latency', '50'];
  const { code, output, errors } = await run(args, async (text) => {
    const baseURL = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (baseURL === undefined) return false;
    if (!sent) {
      sent = true;
      const post = (route: string, body: object, key = '') =>
        fetch(`${baseURL}${route}`, {
          method: 'POST',
          headers: {
            authorization: 'Bearer sk-test',
            'content-type': 'application/json',
            ...(key === '' ? {} : { 'x-idempotency-key': key }),
          },
          body: JSON.stringify(body),
        });
      ({ id } = await (await post(path, image, 'row-17')).json());
      await post(path, image, 'row-17');
      await (await post('/v1/chat/completions', { ...chat, stream: true })).text();
      await post('/v1/videos', { model: 'nothing', prompt: 'secret' });
      await fetch(`${baseURL}/verify/secret?outcome=failed`);
    }
    return text.includes('/verify/');
  });
  const [greeting = '', log = ''] = output.split(/(?<=\/\n)\n/);
  expect([code, errors]).toEqual([0, '']);
  expect(greeting).toMatch(
    /OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1\n.*OPENAI_API_KEY=sk-test\n/,
  );
  expect(
    log
      .replaceAll(/\d+ ms/g, 'ms')
      .replaceAll(/^\S+ +| +/gm, ' ')
      .split('\n'),
  ).toEqual([
    ' 202 ms POST /v1/images/tasks $0.02 key row-17',
    ' 202 ms POST /v1/images/tasks $0.00 key row-17 replay',
    expect.stringMatching(/^ 200 ms POST \/v1\/chat\/completions \$0\.\d+ stream$/),
    ' 400 ms POST /v1/videos model_not_found',
    ' 404 ms GET /verify/… material_not_found',
    '',
  ]);
  expect(log).not.toMatch(/sk-|secret|fox|Hello/);
  const latencies = Array.from(log.matchAll(/(\d+) ms/g), ([, ms]) => Number(ms));
  expect(Math.min(...latencies)).toBeGreaterThan(40);
  expect(id).toBe((await callerOf(createMockGateway({ seed: 'x' })).submit(path, image)).id);
});

test('duration of tasks, delay of chunks, concurrency limit and balance are options', async () => {
  const args = ['--port', '0', '--task-duration', '0', '--chunk-delay', '400'];
  args.push('--concurrency-limit', '3', '--wallet', '0.5');
  let isStarted = false;
  let found: unknown[] = [];
  const { errors } = await run(args, async (text) => {
    const baseURL = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (baseURL === undefined || isStarted) return found.length > 0;
    isStarted = true;
    const gateway = new Polygate({ apiKey: 'sk-mock-demo', baseURL });
    const task = await gateway.images.submit(image);
    const { status } = await task.retrieve();
    const start = performance.now();
    const { model } = chat;
    const stream = gateway.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    for await (const _ of stream) continue;
    const isSlow = performance.now() - start >= 400;
    const { balance, concurrency } = await gateway.account.retrieve();
    found = [status, isSlow, concurrency.limit, balance.usd < 0.5];
    return true;
  });
  expect([found, errors]).toEqual([['succeeded', true, 3, true], '']);
});

test('a port that is in use prints a one-line error', async () => {
  const { port, close } = await listen(createMockGateway());
  const { code, output, errors } = await run(['--port', String(port)]);
  await close();
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^polygate-mock: port \d+ is already in use.*\n$/);
});

test.each([
  [['--port', 'abc'], '--port must be an integer'],
  [['--port', '70000'], '--port must be an integer'],
  [['--latency', '-1'], '--latency'],
  [['--concurrency-limit', '0'], '--concurrency-limit must be an integer from 1 to 1000'],
  [['--chunk-delay-ms', '9'], 'unknown option --chunk-delay-ms; did you mean --chunk-delay?'],
  [['--key', 'abc'], '--key must be sk- followed by visible ASCII characters'],
  [['--port'], '--port needs a value'],
  [['--what'], 'unknown option --what (see --help)'],
  [['--prot', '8787'], 'unknown option --prot; did you mean --port? (see --help)'],
  [['--API-KEYS=sk-test'], 'unknown option --API-KEYS (see --help)'],
  [['--keys=sk-test'], 'unknown option --keys; did you mean --key? (see --help)'],
  [['extra'], 'Unexpected argument'],
])('invalid arguments %j print a one-line error', async (args, message) => {
  const { code, output, errors } = await run(args);
  expect([code, output]).toEqual([2, '']);
  expect(errors).toContain(message);
  expect(errors.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  ['--help', /--port.*--key.*--latency.*--seed/s],
  ['--version', new RegExp(`^${manifest.version}\\n$`)],
])('%s prints the expected text and exits', async (option, text) => {
  expect(await run([option])).toEqual({ code: 0, output: expect.stringMatching(text), errors: '' });
});

test('long text from a caller is shortened in the log', () => {
  const long = 'x'.repeat(10_000);
  const exchange = { method: 'GET', path: `/${long}`, status: 404, requestId: 'req', ms: 0.4 };
  const rest = { chargeUsd: undefined, idempotencyKey: long, replay: false, stream: false };
  const nothing = { lost: undefined, fault: undefined };
  const line = logLine({ ...exchange, ...rest, ...nothing, code: 'not_found' }, new Date());
  expect(line).toMatch(/^\d\d:\d\d:\d\d  404 +0 ms  GET  \/x+…  not_found  key x+…$/);
  expect(line.length).toBeLessThan(200);
});
