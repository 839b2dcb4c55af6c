import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { parseAssumptions } from '../../../src/tools/cli/mock/options.ts';
import { chat, image, video } from '../../mock/caller.ts';
import { run, startMock } from '../../tools/cli/program.ts';

const throws = (call: () => unknown): boolean => {
  try {
    call();
    return false;
  } catch {
    return true;
  }
};

/** The log without times. */
const logOf = (stdout: string) =>
  (stdout.split(/(?<=\/\n)\n/)[1] ?? '')
    .replaceAll(/\d+ ms/g, 'ms')
    .replaceAll(/^\S+ +| +/gm, ' ')
    .split('\n')
    .filter((line) => line !== '');

test.concurrent('each injected fault appears in the log, with the charge of a lost response', async () => {
  const route = 'POST /v1/images/tasks';
  const faults = ['unreachable', 'reset-before', 'reset-after', '503', '502-after', 'malformed'];
  const args = faults.flatMap((fault) => ['--fail', `${route}:${fault}:1`]);
  const { program, send, read } = await startMock(...args, '--fail', '/v1/status:429:1');
  const statuses = [];
  for (const fault of faults) {
    const response = await send('/v1/images/tasks', image, { 'x-idempotency-key': fault });
    statuses.push(response?.status);
  }
  expect((await send('/v1/status'))?.status).toBe(429);
  expect((await send('/v1/status'))?.status).toBe(200);
  expect(statuses).toEqual([undefined, undefined, undefined, 503, 502, 200]);
  const invoice: { idempotencyKey: string }[] = await read('/__mock/invoice');
  expect(invoice.map((line) => line.idempotencyKey)).toEqual([
    'reset-after',
    '502-after',
    'malformed',
  ]);
  const { stdout } = await program.end('SIGINT');
  expect(logOf(stdout)).toEqual([
    ' --- ms POST /v1/images/tasks connection refused fault unreachable',
    ' --- ms POST /v1/images/tasks connection reset key reset-before fault reset-before',
    ' --- ms POST /v1/images/tasks charged $0.02, response lost key reset-after fault reset-after',
    ' 503 ms POST /v1/images/tasks service_unavailable key 503 fault 503',
    ' 502 ms POST /v1/images/tasks $0.02 internal_error key 502-after fault 502-after',
    ' 200 ms POST /v1/images/tasks $0.02 key malformed fault malformed',
    ' 429 ms GET /v1/status concurrency_limit_exceeded fault 429',
    ' 200 ms GET /v1/status',
  ]);
});

test.concurrent('a stalled response and a client that has gone appear in the log with their charge', async () => {
  const { program, baseURL } = await startMock(
    '--fail',
    'POST /v1/videos:stall',
    '--fail',
    'POST /v1/images/tasks:delay-60000',
  );
  for (const [path, body] of [
    ['/v1/videos', video],
    ['/v1/images/tasks', image],
  ] as const) {
    const client = new AbortController();
    const headers = { authorization: 'Bearer sk-mock-demo', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: client.signal };
    const response = fetch(baseURL + path, init).catch(() => undefined);
    let charged = false;
    while (!charged) {
      const invoice: { route: string }[] = await (await fetch(`${baseURL}/__mock/invoice`)).json();
      charged = invoice.some(({ route }) => route === `POST ${path}`);
    }
    client.abort();
    await response;
  }
  await program.printed(/disconnected/);
  const { stdout } = await program.end('SIGTERM');
  expect(logOf(stdout)).toEqual([
    ' --- ms POST /v1/videos charged $0.10, response withheld fault stall',
    ' --- ms POST /v1/images/tasks charged $0.02, response lost: the client disconnected fault delay-60000',
  ]);
});

test.concurrent('a fault with a model affects only requests for it', async () => {
  const { program, send } = await startMock(
    '--fail',
    'POST /v1/images/tasks model=prism-image:503',
    '--fail',
    '* model=tide-video:429:1',
  );
  const statuses: number[] = [];
  for (const [path, body] of [
    ['/v1/images/tasks', image],
    ['/v1/images/tasks', { ...image, model: 'prism-sketch' }],
    ['/v1/videos', video],
    ['/v1/videos', video],
  ] as const) {
    statuses.push((await send(path, body))?.status ?? 0);
  }
  expect(statuses).toEqual([503, 202, 429, 202]);
  await program.end('SIGTERM');
});

test.concurrent.each([
  ['cut-stream-after-2', 'terminated', 2],
  ['end-stream-after-2', undefined, 2],
  ['truncate-after-10', 'terminated', 0],
])('the fault %s affects the body of a stream', async (fault, failure, events) => {
  const { program, send } = await startMock('--fail', `*:${fault}:1`);
  const response = await send('/v1/chat/completions', { ...chat, stream: true });
  let text = '';
  let error: unknown;
  try {
    const decoder = new TextDecoder();
    for await (const bytes of response!.body!) text += decoder.decode(bytes, { stream: true });
  } catch (reason) {
    error = reason;
  }
  expect(error === undefined ? undefined : (error as Error).message).toBe(failure);
  expect(text.match(/^data: .*\n/gm)?.length ?? 0).toBe(events);
  const { stdout } = await program.end('SIGINT');
  expect(stdout).toMatch(new RegExp(`stream {2}fault ${fault}\\n$`));
});

test.concurrent('--wallet and --assume set the balance and the behavior', async () => {
  const { program, read, send } = await startMock(
    '--wallet',
    '0.03',
    '--assume',
    'A2=images/generations',
    '--assume',
    'A13=conflict',
  );
  const { balance } = await read('/v1/account');
  expect(balance.usd).toBe(0.03);
  const header = { 'x-idempotency-key': 'a' };
  const { id } = await (await send('/v1/images/tasks', image, header))!.json();
  expect((await send('/v1/images/tasks', { ...image, prompt: 'b' }, header))?.status).toBe(409);
  expect((await send(`/v1/images/tasks/${id}`))?.status).toBe(404);
  expect((await send(`/v1/images/generations/${id}`))?.status).toBe(200);
  expect((await send('/v1/images/tasks', image))?.status).toBe(402);
  await program.end('SIGINT');
});

test.concurrent('web pages can call the gateway only with --cors', async () => {
  for (const cors of [true, false]) {
    const { program, baseURL } = await startMock(...(cors ? ['--cors'] : []));
    const preflight = await fetch(`${baseURL}/v1/videos`, { method: 'OPTIONS' });
    const response = await fetch(`${baseURL}/__mock/invoice`);
    expect(preflight.status).toBe(cors ? 204 : 405);
    expect(response.headers.get('access-control-allow-origin')).toBe(cors ? '*' : null);
    await program.end('SIGINT');
  }
});

test('every assumption of the mock can be set', () => {
  const ids = Array.from({ length: 22 }, (_, index) => `A${index + 1}`);
  for (const id of ids) {
    const exists = !throws(() => createMockGateway({ assumptions: { [id]: undefined } }));
    expect(() => parseAssumptions([`${id}=?`])).toThrow(
      exists ? `${id} must be` : `${id} has no switch; those with one: A1, A2, `,
    );
  }
});

test.concurrent.each([
  ['POST /v1/image/tasks:reset-after:1', 'did you mean POST /v1/images/tasks?'],
  ['GET /v1/images/tasks:reset-after', 'did you mean POST /v1/images/tasks?'],
  ['/v1/vidoes:503', 'did you mean /v1/videos?'],
  ['POST /v1/videos:reset-aftr', 'reset-aftr is not a fault; did you mean reset-after?'],
  ['*:cut-strem-after-5', 'did you mean cut-stream-after-5?'],
  ['*:cut-stream-after', 'did you mean cut-stream-after-N?'],
  ['*:200', '200 is not a fault'],
  ['*:delay-9999999999', 'the number of delay-9999999999 is too large'],
  ['*:constructor', 'constructor is not a fault'],
  ['*:503:0', 'the number of times must be an integer from 1, not 0'],
  ['*:503:1:1', "--fail must be '<route>:<what>[:<times>]'"],
  ['503', "--fail must be '<route>:<what>[:<times>]'"],
])('--fail %j is an error', async (fault, message) => {
  const { code, stdout, stderr } = await run('polygate-mock', ['--fail', fault]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.concurrent.each([
  [['--assume', 'A2'], '--assume must be <id>=<value>'],
  [['--assume', 'A2=images/generation'], 'did you mean images/generations?'],
  [['--assume', 'a2=any'], 'unknown assumption a2; did you mean A2?'],
  [['--assume', 'A22=soon'], 'A22 must be a number of minutes, not soon'],
  [['--wallet', '-1'], '--wallet needs a value; if it starts with -, use --wallet=<value>'],
  [['--assume', 'A23=x'], 'unknown assumption A23'],
  [['--assume', 'A2='], "must be any or images/tasks or images/generations, not ''"],
  [['--wallet=-1'], '--wallet must be an amount in USD such as 0.10, at most 999999999 and'],
  [['--wallet', ''], "with at most 9 decimals, not ''"],
  [['--host', ''], '--host must be a host name or IP address'],
  [['--host', ' '], '--host must be a host name or IP address'],
  [['--port', ''], "--port must be an integer from 0 to 65535, not ''"],
  [['--state', ''], '--state must be the path of a file'],
  [['--cros'], 'unknown option --cros; did you mean --cors?'],
])('polygate-mock %j is an error', async (args, message) => {
  const { code, stdout, stderr } = await run('polygate-mock', args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test.concurrent('the gateway continues when what reads its output has ended', async () => {
  const { program, send } = await startMock();
  program.child.stdout?.destroy();
  for (const path of ['/v1/status', '/v1/status', '/v1/status']) {
    expect((await send(path))?.status).toBe(200);
  }
  expect(program.stderr).toBe('');
  await program.end('SIGINT');
});
