import { describe, expect, test } from 'vitest';

import {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  ServiceUnavailableError,
  StreamTruncatedError,
  UnprocessableError,
} from '../../../src/index.ts';
import type { Outcome, Polygate, PolygateOptions, RequestOptions } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  coded,
  completed,
  drain,
  eventStream,
  firstEvent,
  hang,
  image,
  refusal,
  reset,
  scripted,
  streamed,
  submitted,
  text,
  turns,
  unreachable,
  virtualClock,
  wholeStream,
} from '../support.ts';
import type { Reply } from '../support.ts';

type Call = (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
const readStream: Call = async (gateway, options) =>
  drain(await gateway.chat.completions.create({ ...chat, stream: true }, options));
/** The four kinds of request, in the order of the table's columns. */
const routes: readonly (readonly [string, Call])[] = [
  ['GET a model', (gateway, options) => gateway.models.retrieve('m', options)],
  ['submit an image', (gateway, options) => gateway.images.submit(image, options)],
  ['chat', (gateway, options) => gateway.chat.completions.create(chat, options)],
  ['stream a chat', readStream],
];

/** A body that breaks off; the beginning of it is fine on every route. */
const cut: Reply = (sent) => {
  const failing = (start: string, init: ResponseInit) =>
    streamed(
      start,
      (body) => body.error(new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') })),
      init,
    );
  const streams = sent.body?.includes('"stream":true') === true;
  return failing(streams ? firstEvent : '{"id": "half of', streams ? eventStream : {})(sent);
};

type ErrorClass = abstract new (...args: never) => Error;
/** How often each kind of request goes out with three retries: GET, submit, chat, chat stream. */
type Counts = readonly [number, number, number, number];
const always: Counts = [4, 4, 4, 4];
const ifSafe: Counts = [4, 4, 1, 1];
const never: Counts = [1, 1, 1, 1];

const table: readonly (readonly [string, Reply, Counts, ErrorClass, Outcome])[] = [
  ['refused before a byte', unreachable, always, ConnectionError, 'not-sent'],
  ['reset', reset, ifSafe, ConnectionError, 'unknown'],
  ['no answer in time', hang, ifSafe, RequestTimeoutError, 'unknown'],
  ['cut body', cut, ifSafe, ConnectionError, 'unknown'],
  ['408', refusal(408), ifSafe, APIError, 'unknown'],
  ['500', refusal(500), ifSafe, ServerError, 'unknown'],
  ['502', refusal(502), ifSafe, ServerError, 'unknown'],
  [
    '502 from a proxy',
    text(502, '<html>Bad gateway</html>', 'text/html'),
    ifSafe,
    ServerError,
    'unknown',
  ],
  ['503', refusal(503), always, ServiceUnavailableError, 'rejected'],
  ['504', refusal(504), ifSafe, ServerError, 'unknown'],
  ['429', refusal(429, 'rate_limit_exceeded'), always, RateLimitError, 'rejected'],
  ['429 without a code', refusal(429), always, RateLimitError, 'rejected'],
  ['400', refusal(400), never, BadRequestError, 'rejected'],
  ['401', refusal(401), never, AuthenticationError, 'rejected'],
  ['402', refusal(402), never, PaymentRequiredError, 'rejected'],
  ['403', refusal(403), never, PermissionDeniedError, 'rejected'],
  ['404', refusal(404), never, NotFoundError, 'rejected'],
  ['409', refusal(409), never, ConflictError, 'rejected'],
  ['422', refusal(422), never, UnprocessableError, 'rejected'],
];

/** Makes a call in virtual time; what was sent and what was thrown. */
async function run(
  call: Call,
  reply: Reply | readonly [Reply, ...Reply[]],
  options: PolygateOptions = {},
) {
  const clock = virtualClock();
  const { fetch, sent } = scripted(...(typeof reply === 'function' ? ([reply] as const) : reply));
  const gateway = clientOf(fetch, { clock, ...options });
  const error = await caught(clock.settle(call(gateway)));
  const keys = new Set(sent.map(({ headers }) => headers.get('x-idempotency-key')));
  const bodies = new Set(sent.map(({ body }) => body));
  return { sent, error, keys: [...keys], bodies: [...bodies] };
}

describe.each(table)('%s', (name, reply, counts, Class, outcome) => {
  test.each(routes.map(([route, call], column) => [route, call, column] as const))(
    '%s',
    async (_, call, column) => {
      const { sent, error, keys, bodies } = await run(call, reply);
      expect(sent).toHaveLength(counts[column] ?? 0);
      const inStream = name === 'cut body' && column === 3;
      expect(error).toBeInstanceOf(inStream ? StreamTruncatedError : Class);
      // The texts give no outcome to a GET that was answered with "nobody knows".
      const free = column === 0 && error instanceof APIError && outcome === 'unknown';
      if (!free) expect(error.outcome).toBe(outcome);
      expect(bodies).toHaveLength(1);
      expect(keys).toHaveLength(1);
      const [key] = keys;
      if (column === 1) expect(key).toMatch(/^[!-~]{8,200}$/);
      else expect(key).toBeNull();
      expect(error.idempotencyKey).toBe(key ?? undefined);
    },
  );

  test.each(routes)('%s with maxRetries: 0 goes out once', async (_, call) => {
    expect((await run(call, reply, { maxRetries: 0 })).sent).toHaveLength(1);
  });
});

describe('how often', () => {
  test.each([0, 1, 3, 5])('maxRetries: %i of the client', async (maxRetries) => {
    const [, call] = routes[0] ?? [];
    const { sent } = await run(call as Call, refusal(503), { maxRetries });
    expect(sent).toHaveLength(1 + maxRetries);
  });

  test('maxRetries of the call wins', async () => {
    const call: Call = (gateway) => gateway.models.retrieve('m', { maxRetries: 1 });
    expect((await run(call, refusal(503), { maxRetries: 5 })).sent).toHaveLength(2);
  });

  test.each([
    ['submit an image', routes[1]?.[1] as Call, submitted],
    ['chat', routes[2]?.[1] as Call, completed],
    ['stream a chat', readStream, () => new Response(wholeStream, eventStream)],
  ] as const)('%s succeeds once the service does', async (_, call, good) => {
    const clock = virtualClock();
    const { fetch, sent } = scripted(unreachable, refusal(503), refusal(429, 'slow_down'), good);
    await clock.settle(call(clientOf(fetch, { clock })));
    expect(sent).toHaveLength(4);
  });
});

describe('the outcome is that of the whole call', () => {
  const submit: Call = (gateway) => gateway.images.submit(image);

  test.each([
    ['unknown stays unknown through 503s', [reset, refusal(503)], 4, 'unknown'],
    ['unknown stays unknown when a 400 ends it', [reset, refusal(400)], 2, 'unknown'],
    [
      'unknown stays unknown when nobody listens any more',
      [refusal(500), unreachable],
      4,
      'unknown',
    ],
    ['unknown stays unknown after a timeout', [hang, refusal(402)], 2, 'unknown'],
    ['a refusal ends what was never sent', [unreachable, refusal(503)], 4, 'rejected'],
    ['what breaks after a refusal is unknown', [refusal(503), reset], 4, 'unknown'],
  ] as const)('%s', async (_, replies, count, outcome) => {
    const { sent, error } = await run(submit, [...replies] as [Reply, ...Reply[]]);
    expect(sent).toHaveLength(count);
    expect(error.outcome).toBe(outcome);
  });
});

test('a body that its caller changes between two attempts is sent as it was', async () => {
  const clock = virtualClock();
  const { fetch, sent } = scripted(refusal(503), submitted);
  const params = { ...image };
  const submit = clientOf(fetch, { clock }).images.submit(params);
  await turns();
  params.prompt = 'Something else';
  await clock.settle(submit);
  expect(sent.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify(image)));
});

describe("the caller's key", () => {
  const keyed = { idempotencyKey: 'row-17' };

  test.each(routes.slice(1))('%s: is sent as given and is on the error', async (_, call) => {
    const { keys, error } = await run((gateway) => call(gateway, keyed), refusal(503));
    expect(keys).toEqual(['row-17']);
    expect(error.idempotencyKey).toBe('row-17');
  });

  test.each(['', ' ', 'with space', 'line\n', 'ключ', 'x'.repeat(201)])(
    'is refused before a byte is sent when it is %j',
    async (idempotencyKey) => {
      const call: Call = (gateway) => gateway.images.submit(image, { idempotencyKey });
      const { sent, error } = await run(call, submitted);
      expect(error.name).toBe('ConfigurationError');
      expect(error.message).toContain('idempotencyKey');
      expect(sent).toHaveLength(0);
    },
  );

  test('does not make a chat safe to repeat', async () => {
    const call: Call = (gateway) => gateway.chat.completions.create(chat, keyed);
    const { sent, error } = await run(call, reset);
    expect(sent).toHaveLength(1);
    expect(error.outcome).toBe('unknown');
  });
});

describe('retryAmbiguous: { chat: true }', () => {
  const ambiguous = { retryAmbiguous: { chat: true } };

  test.each(
    routes
      .slice(2)
      .flatMap(([route, call]) =>
        [reset, hang, refusal(500)].map((reply) => [route, call, reply] as const),
      ),
  )('%s: repeats what may have been carried out, always under one key', async (_, call, reply) => {
    const { sent, keys, bodies, error } = await run(call, reply, ambiguous);
    expect(sent).toHaveLength(4);
    expect(bodies).toHaveLength(1);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^[!-~]{8,200}$/);
    expect(error).toMatchObject({ idempotencyKey: keys[0], outcome: 'unknown' });
  });

  test('a chat that succeeds at once carries a key, too', async () => {
    const { fetch, sent } = scripted(completed);
    await clientOf(fetch, ambiguous).chat.completions.create(chat);
    expect(sent[0]?.headers.get('x-idempotency-key')).toMatch(/^[!-~]{8,200}$/);
  });

  test('two chats have two keys', async () => {
    const { fetch, sent } = scripted(completed);
    const gateway = clientOf(fetch, ambiguous);
    await gateway.chat.completions.create(chat);
    await gateway.chat.completions.create(chat);
    expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(2);
  });

  test('a stream that has begun is never repeated', async () => {
    const { sent, error } = await run(readStream, cut, ambiguous);
    expect(sent).toHaveLength(1);
    expect(error).toBeInstanceOf(StreamTruncatedError);
  });

  test('voices: true leaves chat alone', async () => {
    const [, call] = routes[2] ?? [];
    const { sent } = await run(call as Call, reset, { retryAmbiguous: { voices: true } });
    expect(sent).toHaveLength(1);
  });
});
