import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { PolygateError } from '../../src/index.ts';
import {
  caught,
  clientOf,
  errorReply,
  image,
  jsonReply,
  scripted,
  submitted,
  virtualClock,
} from '../client/support.ts';
import { runFromSource } from '../run-from-source.ts';

const program = new URL('./failing-program.ts', import.meta.url);

/** What a program prints for each of its failures, which are separated by spaces. */
async function run(FAILURES: string, HOW: 'uncaught' | 'logged'): Promise<string[]> {
  const { stdout, stderr } = await runFromSource(program, { env: { FAILURES, HOW } });
  return HOW === 'uncaught' ? [stderr] : stdout.split('---\n');
}

const failures = ['payment:0', 'connection:0', 'stream:0', 'task:0', 'body:0', 'payment:30'];
/** What one program logs for all failures, because starting a program takes most of the time. */
let logged: Promise<string[]> | undefined;

/** What a program prints for its error, line by line. */
async function printedBy(
  failure: string,
  how: 'uncaught' | 'logged',
  depth = 0,
): Promise<string[]> {
  const name = `${failure}:${depth}`;
  if (how === 'logged') logged ??= run(failures.join(' '), how);
  const outputs = how === 'logged' ? await logged : await run(name, how);
  const output = outputs?.[how === 'logged' ? failures.indexOf(name) : 0] ?? '';
  // Node adds the line of code that threw, and its own version.
  return output
    .slice(Math.max(0, output.search(/^\w+Error: /m)))
    .replace(/\s*Node\.js v\S+\s*$/, '')
    .trimEnd()
    .split('\n');
}

describe.each(['uncaught', 'logged'] as const)('an error that is %s', (how) => {
  test.each([
    [
      'payment',
      'PaymentRequiredError: 402 no_balance: Insufficient balance. Nothing was charged.',
      ['402', 'no_balance', 'req_42', 'rejected', 'idempotencyKey'],
    ],
    [
      'connection',
      'ConnectionError: Could not connect to the service: bad port.',
      ['not-sent', 'idempotencyKey'],
    ],
    ['stream', 'StreamTruncatedError: The stream was truncated', ['unknown']],
    ['task', 'TaskFailedError: Task task_1 failed: Flagged.', ['idempotencyKey']],
    [
      'body',
      'ResponseValidationError: Invalid response: data: must be an array. Body: {',
      ['req_42'],
    ],
  ])(
    'prints message, callers and fields of "%s" in at most ten lines',
    async (failure, message, fields) => {
      const lines = await printedBy(failure, how);
      expect(lines[0]).toMatch(new RegExp(`^${message.replaceAll('.', String.raw`\.`)}`));
      expect(lines.length).toBeLessThanOrEqual(10);
      expect(lines[1]).toMatch(/^ {4}at async myFunction \(.*failing-program\.ts:\d+:\d+\)/);
      const output = lines.join('\n');
      for (const field of fields) expect(output).toContain(field);
      expect(output).not.toMatch(/undefined|canary|Headers/);
    },
  );

  test('takes at most ten lines, however many functions await the call', async () => {
    const lines = await printedBy('payment', how, 30);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.filter((line) => line.includes('at async myFunction')).length).toBeGreaterThan(1);
  });
});

/** The error of a task that fails after its submission. */
async function failedTask() {
  const { fetch } = scripted(
    jsonReply(202, { id: 'task_1', status: 'queued' }),
    jsonReply(200, { id: 'task_1', status: 'failed' }),
  );
  const clock = virtualClock();
  return caught(clock.settle(clientOf(fetch, { clock }).images.generate(image)));
}

describe('a printed error', () => {
  test('names its task by its id', async () => {
    expect(inspect(await failedTask())).toContain('"task":{"v":1,"kind":"image","id":"task_1"');
  });

  test('contains no body, which may be long: the message says what it says', async () => {
    const { fetch } = scripted(jsonReply(400, { error: { message: 'No' }, more: 'x'.repeat(1e5) }));
    const text = inspect(await caught(clientOf(fetch).images.submit(image)));
    expect(text).toContain('400: No.');
    expect(text.length).toBeLessThan(3_000);
  });

  test('has at most ten lines, whatever its stack trace and its cause', () => {
    const cause = new Error('the reason');
    const error = new PolygateError('It failed.', { outcome: 'unknown', cause });
    error.stack = `${String(error)}${'\n    at somewhere (file.js:1:1)'.repeat(50)}`;
    const lines = inspect(error).split('\n');
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines).toContain('  [cause]: Error: the reason');
    expect(lines).toContain('  {"outcome":"unknown"}');
  });

  test.each([
    ['a text', 'the user left', '[cause]: the user left'],
    ['a DOMException', new DOMException('Stop', 'AbortError'), '[cause]: AbortError: Stop'],
  ])('shows a cause that is %s', async (_, reason, shown) => {
    const { fetch } = scripted(submitted);
    const signal = AbortSignal.abort(reason);
    const text = inspect(await caught(clientOf(fetch).images.submit(image, { signal })));
    expect(text).toContain(shown);
  });

  test('has no fields if it has no details', () => {
    const error = new PolygateError('It failed.');
    Object.defineProperty(error, 'stack', { value: undefined });
    expect(inspect(error)).toBe('PolygateError: It failed.');
  });
});

test('an error as JSON has its message, its short fields and the receipt of its task', async () => {
  const { fetch } = scripted(errorReply(402, 'insufficient_balance', { 'x-request-id': 'req_1' }));
  const error = await caught(clientOf(fetch).images.submit(image, { idempotencyKey: 'row-1' }));
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'PaymentRequiredError',
    message: error.message,
    reason: 'balance',
    status: 402,
    requestId: 'req_1',
    code: 'insufficient_balance',
    type: 'test_error',
    outcome: 'rejected',
    idempotencyKey: 'row-1',
  });
  const { task } = await failedTask().then((failed) => JSON.parse(JSON.stringify(failed)));
  expect(task).toMatchObject({ v: 1, kind: 'image', id: 'task_1' });
});

test('an error as JSON is plain JSON, without undefined fields and handles', async () => {
  const fallback = ['prism-sketch'];
  const { fetch } = scripted(errorReply(503), jsonReply(400, { error: { message: 'No' } }));
  const errors = [
    await caught(clientOf(fetch, { maxRetries: 0 }).images.submit(image, { fallback })),
    await failedTask(),
  ];
  expect(errors[0]).toMatchObject({ attempts: [{ model: 'prism-image' }, { status: 400 }] });
  for (const error of errors) {
    if (!PolygateError.is(error)) throw error;
    expect(error.toJSON()).toStrictEqual(JSON.parse(JSON.stringify(error)));
  }
});

test('objects and bodies are readable, but not enumerable', async () => {
  const { fetch } = scripted(errorReply(402, 'insufficient_balance'));
  const error = await caught(clientOf(fetch).images.submit(image));
  expect(error.meta).toMatchObject({ status: 402 });
  expect(error.body).toMatchObject({ error: { code: 'insufficient_balance' } });
  expect(Object.keys(error).toSorted()).toEqual([
    'code',
    'idempotencyKey',
    'name',
    'outcome',
    'reason',
    'status',
  ]);
});
