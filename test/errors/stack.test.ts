import { inspect } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { ChatStream, PolygateError, Stream } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  completed,
  drain,
  errorReply,
  eventStream,
  firstEvent,
  hang,
  image,
  jsonReply,
  reset,
  scripted,
  streamReply,
  submitted,
  textReply,
  turns,
  unreachable,
  virtualClock,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';

const truncated = streamReply(firstEvent, (body) => body.close(), eventStream);
const broken: Reply = (sent) =>
  streamReply(firstEvent, (body) => body.error(new TypeError('terminated')), eventStream)(sent);
const failedTask = jsonReply(200, { id: 'task_1', status: 'failed' });
const queuedTask = jsonReply(200, { id: 'task_1', status: 'queued' });
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const schema = z.object({ name: z.string() });
const tool = { name: 'look', parameters: z.object({}), execute: () => '' };

const stream = (gateway: Polygate) => gateway.chat.completions.stream(chat);
const rows = (gateway: Polygate) =>
  gateway.batch([1], () => gateway.images.submission(image), { signal: AbortSignal.abort() });
const journal = { read: async function* () {}, append: async () => undefined };

/** Consumes items in the function whose name a stack trace must show. */
async function myLoop(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** What a caller awaits, and the replies that make it fail. */
type Case = readonly [string, (gateway: Polygate) => PromiseLike<unknown>, [Reply, ...Reply[]]];

const calls: readonly Case[] = [
  ['a call after an error response', (gateway) => gateway.models.list(), [errorReply(402)]],
  ['a call after a refused connection', (gateway) => gateway.models.list(), [unreachable]],
  ['a call after a lost connection', (gateway) => gateway.images.submit(image), [reset]],
  ['a call after a timeout', (gateway) => gateway.chat.completions.create(chat), [hang]],
  ['a call after an invalid response', (gateway) => gateway.models.list(), [textReply(200, '<')]],
  ['a call with invalid params', (gateway) => gateway.models.retrieve(''), [completed]],
  ['withResponse()', (gateway) => gateway.models.list().withResponse(), [errorReply(402)]],
  ['asResponse()', (gateway) => gateway.models.list().asResponse(), [errorReply(402)]],
  ['request()', (gateway) => gateway.request({ method: 'GET', path: '/x' }), [errorReply(404)]],
  [
    'Promise.all()',
    (gateway) => Promise.all([gateway.models.list(), gateway.models.list()]),
    [errorReply(402)],
  ],
  ['generate() whose submit fails', (gateway) => gateway.images.generate(image), [errorReply(402)]],
  [
    'generate() whose task fails',
    (gateway) => gateway.images.generate(image),
    [submitted, failedTask],
  ],
  ['wait() for a failed task', (gateway) => gateway.images.wait('task_1'), [failedTask]],
  [
    'wait() until the deadline',
    (gateway) => gateway.images.task('task_1').wait({ waitTimeout: 9_000 }),
    [queuedTask],
  ],
  [
    'wait() for an unknown task',
    (gateway) => gateway.images.task('task_1').wait(),
    [errorReply(404)],
  ],
  [
    'retrieve() of a task',
    (gateway) => gateway.images.task('task_1').retrieve(),
    [errorReply(404)],
  ],
  [
    'updates() of a task',
    (gateway) => myLoop(gateway.images.task('task_1').updates()),
    [errorReply(401)],
  ],
  ['a download', (gateway) => gateway.download('https://files.example/a.png'), [errorReply(404)]],
  [
    'a download of a private URL',
    (gateway) => gateway.download('https://10.0.0.1/a.png'),
    [errorReply(404)],
  ],
  [
    'materials.register()',
    (gateway) => gateway.materials.register(material),
    [
      jsonReply(202, { id: 'mat_1', status: 'processing' }),
      jsonReply(200, { id: 'mat_1', status: 'failed' }),
    ],
  ],
  ['materials.wait()', (gateway) => gateway.materials.wait('mat_1'), [errorReply(401)]],
  [
    'materials.updates()',
    (gateway) => myLoop(gateway.materials.updates('mat_1')),
    [errorReply(401)],
  ],
  [
    'a page of materials',
    async (gateway) => myLoop(await gateway.materials.list()),
    [
      jsonReply(200, { object: 'material.list', data: [], has_more: true, next_cursor: 'c' }),
      errorReply(401),
    ],
  ],
  [
    'create() of a stream',
    async (gateway) => myLoop(await gateway.chat.completions.create({ ...chat, stream: true })),
    [truncated],
  ],
  ['a truncated stream', (gateway) => myLoop(stream(gateway)), [truncated]],
  ['a broken stream', (gateway) => myLoop(stream(gateway)), [broken]],
  ['a stream whose request fails', (gateway) => myLoop(stream(gateway)), [errorReply(402)]],
  ['text()', (gateway) => myLoop(stream(gateway).text()), [truncated]],
  ['partialObjects()', (gateway) => myLoop(stream(gateway).partialObjects()), [truncated]],
  ['final()', (gateway) => stream(gateway).final(), [truncated]],
  [
    'final() of a stream whose request fails',
    (gateway) => stream(gateway).final(),
    [errorReply(402)],
  ],
  ['a branch of tee()', (gateway) => myLoop(stream(gateway).tee()[0]), [truncated]],
  [
    'both branches of tee()',
    (gateway) => Promise.all(stream(gateway).tee().map(myLoop)),
    [truncated],
  ],
  [
    'a relayed stream',
    (gateway) => myLoop(ChatStream.fromReadableStream(stream(gateway).toReadableStream())),
    [errorReply(402)],
  ],
  [
    'a relayed stream of chunks',
    (gateway) => myLoop(Stream.fromReadableStream(stream(gateway).toReadableStream())),
    [truncated],
  ],
  [
    'parse()',
    (gateway) => gateway.chat.completions.parse({ ...chat, response_format: schema }),
    [completed],
  ],
  [
    'run()',
    (gateway) => gateway.chat.completions.run({ ...chat, tools: [tool] }),
    [errorReply(402)],
  ],
  ['batch()', (gateway) => myLoop(rows(gateway)), [submitted]],
  [
    'recover()',
    (gateway) => myLoop(gateway.recover(journal, { signal: AbortSignal.abort() })),
    [submitted],
  ],
];

/** The error of a call that is awaited in two functions of the caller. */
async function failureOf(call: Case[1], replies: Case[2]) {
  const clock = virtualClock();
  const { fetch } = scripted(...replies);
  const gateway = clientOf(fetch, { clock, maxRetries: 0 });
  const myFunction = async () => {
    await call(gateway);
  };
  const main = async () => {
    await myFunction();
  };
  return caught(clock.settle(main()));
}

describe('the stack trace shows the caller of', () => {
  test.each(calls)('%s', async (_, call, replies) => {
    const error = await failureOf(call, replies);
    const [header, ...frames] = error.stack?.split('\n') ?? [];
    expect(error).toBeInstanceOf(PolygateError);
    expect(header).toBe(`${error.name}: ${error.message}`);
    const stack = frames.join('\n');
    expect(stack).toMatch(/^ {4}at (async )?myFunction \(.*stack\.test\.ts/m);
    expect(stack).toMatch(/^ {4}at (async )?main \(.*stack\.test\.ts/m);
    expect(stack).not.toContain('sk-test');
    // Internal functions may appear only below the method that the caller called.
    const shown = frames.filter((frame) => !frame.includes('stack.test.ts'));
    expect(
      shown.filter(
        (frame) =>
          !/Promise\.all|Stream|updates|next|batch|recover|run|iterate|followMaterial/i.test(frame),
      ),
    ).toEqual([]);
  });
});

test('a failure that is reported twice has a stack trace of the last function that awaited it', async () => {
  const { fetch } = scripted(truncated);
  const failing = stream(clientOf(fetch));
  const readLoop = async () => myLoop(failing);
  const readFinal = async () => {
    await failing.final();
  };
  const first = await caught(readLoop());
  expect(first.stack).toContain('myLoop');
  expect(await caught(readFinal())).toBe(first);
  expect(first.stack).toContain('readFinal');
});

test('the stack trace of an error without an awaiting function is that of its creation', async () => {
  const { fetch } = scripted(errorReply(402));
  const error = await new Promise<Error>((resolve) => {
    clientOf(fetch).models.list().catch(resolve);
  });
  expect(error.stack).toMatch(/^PaymentRequiredError: 402.*\n {4}at /);
});

test('an error thrown by a callback keeps its stack trace', async () => {
  const own = new Error('mine');
  const { stack } = own;
  const source = async function* () {
    yield await Promise.reject(own);
  };
  const { fetch } = scripted(submitted);
  const gateway = clientOf(fetch);
  const error = await caught(
    drain(gateway.batch(source(), () => gateway.images.submission(image))),
  );
  await turns();
  expect(error).toBe(own);
  expect(error.stack).toBe(stack);
});

test('a program may format stack traces in its own way', async () => {
  const { prepareStackTrace } = Error;
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  Error.prepareStackTrace = (_, sites) => sites;
  const { fetch } = scripted(errorReply(402));
  const error = await caught(clientOf(fetch).models.list());
  expect(error).toMatchObject({ name: 'PaymentRequiredError', status: 402 });
  expect(inspect(error)).toMatch(
    /^PaymentRequiredError: 402.*\n {2}\{"reason":"balance","status":402/,
  );
});
