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
  errorReply,
  reset,
  scripted,
  streamReply,
  submitted,
  textReply,
  turns,
  unreachable,
  virtualClock,
  completeStream,
} from '../support.ts';
import type { Reply } from '../support.ts';

type Call = (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
const readStream: Call = async (gateway, options) =>
  drain(await gateway.chat.completions.create({ ...chat, stream: true }, options));
/** The four kinds of request, in the order of the table's columns. */
const routes: readonly (readonly [string, Call])[] = [
  ['a GET', (gateway, options) => gateway.models.retrieve('m', options)],
  ['an image submit', (gateway, options) => gateway.images.submit(image, options)],
  ['a chat', (gateway, options) => gateway.chat.completions.create(chat, options)],
  ['a chat stream', readStream],
];

/** A body that is truncated after a start that is valid on every route. */
const cut: Reply = (sent) => {
  const failing = (start: string, init: ResponseInit) =>
    streamReply(
      start,
      (body) => body.error(new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') })),
      init,
    );
  const isStream = sent.body?.includes('"stream":true') === true;
  return failing(isStream ? firstEvent : '{"id": "half of', isStream ? eventStream : {})(sent);
};

type ErrorClass = abstract new (...args: never) => Error;
/** How many times each kind of request is sent with three retries: GET, submit, chat, chat stream. */
type Counts = readonly [number, number, number, number];
const always: Counts = [4, 4, 4, 4];
const ifSafe: Counts = [4, 4, 1, 1];
const never: Counts = [1, 1, 1, 1];

const table: readonly (readonly [string, Reply, Counts, ErrorClass, Outcome])[] = [
  ['a refused connection', unreachable, always, ConnectionError, 'not-sent'],
  ['a reset', reset, ifSafe, ConnectionError, 'unknown'],
  ['no response in time', hang, ifSafe, RequestTimeoutError, 'unknown'],
  ['a truncated body', cut, ifSafe, ConnectionError, 'unknown'],
  ['a 408', errorReply(408), ifSafe, APIError, 'unknown'],
  ['a 500', errorReply(500), ifSafe, ServerError, 'unknown'],
  ['a 502', errorReply(502), ifSafe, ServerError, 'unknown'],
  [
    'a 502 from a proxy',
    textReply(502, '<html>Bad gateway</html>', 'text/html'),
    ifSafe,
    ServerError,
    'unknown',
  ],
  ['a 503', errorReply(503), always, ServiceUnavailableError, 'rejected'],
  ['a 504', errorReply(504), ifSafe, ServerError, 'unknown'],
  ['a 429', errorReply(429, 'rate_limit_exceeded'), always, RateLimitError, 'rejected'],
  ['a 429 without a code', errorReply(429), always, RateLimitError, 'rejected'],
  ['a 400', errorReply(400), never, BadRequestError, 'rejected'],
  ['a 401', errorReply(401), never, AuthenticationError, 'rejected'],
  ['a 402', errorReply(402), never, PaymentRequiredError, 'rejected'],
  ['a 403', errorReply(403), never, PermissionDeniedError, 'rejected'],
  ['a 404', errorReply(404), never, NotFoundError, 'rejected'],
  ['a 409', errorReply(409), never, ConflictError, 'rejected'],
  ['a 422', errorReply(422), never, UnprocessableError, 'rejected'],
];

/** Makes a call in virtual time, and returns what was sent and thrown. */
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

describe.each(table)('after %s', (name, reply, counts, Class, outcome) => {
  test.each(routes.map(([route, call], column) => [route, call, column] as const))(
    '%s is sent again only if it cannot be charged twice',
    async (_, call, column) => {
      const { sent, error, keys, bodies } = await run(call, reply);
      expect(sent).toHaveLength(counts[column] ?? 0);
      const inStream = name === 'a truncated body' && column === 3;
      expect(error).toBeInstanceOf(inStream ? StreamTruncatedError : Class);
      // The outcome of a failed GET is not specified, because a GET is never charged.
      const isUnspecified = column === 0 && error instanceof APIError && outcome === 'unknown';
      if (!isUnspecified) expect(error.outcome).toBe(outcome);
      expect(bodies).toHaveLength(1);
      expect(keys).toHaveLength(1);
      const [key] = keys;
      if (column === 1) expect(key).toMatch(/^[!-~]{8,200}$/);
      else expect(key).toBeNull();
      expect(error.idempotencyKey).toBe(key ?? undefined);
    },
  );

  test.each(routes)('%s with maxRetries: 0 is sent once', async (_, call) => {
    expect((await run(call, reply, { maxRetries: 0 })).sent).toHaveLength(1);
  });
});

describe('the number of attempts', () => {
  test.each([0, 1, 3, 5])('follows maxRetries: %i of the client', async (maxRetries) => {
    const [, call] = routes[0] ?? [];
    const { sent } = await run(call as Call, errorReply(503), { maxRetries });
    expect(sent).toHaveLength(1 + maxRetries);
  });

  test('follows maxRetries of the call over that of the client', async () => {
    const call: Call = (gateway) => gateway.models.retrieve('m', { maxRetries: 1 });
    expect((await run(call, errorReply(503), { maxRetries: 5 })).sent).toHaveLength(2);
  });
});

test.each([
  ['an image submit', routes[1]?.[1] as Call, submitted],
  ['a chat', routes[2]?.[1] as Call, completed],
  ['a chat stream', readStream, () => new Response(completeStream, eventStream)],
] as const)('%s succeeds as soon as an attempt succeeds', async (_, call, success) => {
  const clock = virtualClock();
  const { fetch, sent } = scripted(
    unreachable,
    errorReply(503),
    errorReply(429, 'slow_down'),
    success,
  );
  await clock.settle(call(clientOf(fetch, { clock })));
  expect(sent).toHaveLength(4);
});

describe('the outcome describes the entire call', () => {
  const submit: Call = (gateway) => gateway.images.submit(image);

  test.each([
    ['unknown stays unknown through 503s', [reset, errorReply(503)], 4, 'unknown'],
    ['unknown stays unknown after a final 400', [reset, errorReply(400)], 2, 'unknown'],
    [
      'unknown stays unknown after refused connections',
      [errorReply(500), unreachable],
      4,
      'unknown',
    ],
    ['unknown after a timeout stays unknown after a 402', [hang, errorReply(402)], 2, 'unknown'],
    ['not-sent becomes rejected after 503s', [unreachable, errorReply(503)], 4, 'rejected'],
    ['rejected becomes unknown after a reset', [errorReply(503), reset], 4, 'unknown'],
  ] as const)('%s', async (_, replies, count, outcome) => {
    const { sent, error } = await run(submit, [...replies] as [Reply, ...Reply[]]);
    expect(sent).toHaveLength(count);
    expect(error.outcome).toBe(outcome);
  });
});

test('changing the params between two attempts does not change the body', async () => {
  const clock = virtualClock();
  const { fetch, sent } = scripted(errorReply(503), submitted);
  const params = { ...image };
  const submit = clientOf(fetch, { clock }).images.submit(params);
  await turns();
  params.prompt = 'Something else';
  await clock.settle(submit);
  expect(sent.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify(image)));
});

describe("the caller's key", () => {
  const keyed = { idempotencyKey: 'row-17' };

  test.each(routes.slice(1))('of %s is sent unchanged and is on the error', async (_, call) => {
    const { keys, error } = await run((gateway) => call(gateway, keyed), errorReply(503));
    expect(keys).toEqual(['row-17']);
    expect(error.idempotencyKey).toBe('row-17');
  });

  test.each(['', ' ', 'with space', 'line\n', 'ключ', 'x'.repeat(201)])(
    'is rejected before a request is sent if it is %j',
    async (idempotencyKey) => {
      const call: Call = (gateway) => gateway.images.submit(image, { idempotencyKey });
      const { sent, error } = await run(call, submitted);
      expect(error.name).toBe('ConfigurationError');
      expect(error.message).toContain('idempotencyKey');
      expect(sent).toHaveLength(0);
    },
  );

  test('does not make a chat retryable', async () => {
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
        [reset, hang, errorReply(500)].map((reply) => [route, call, reply] as const),
      ),
  )('retries %s with the same key after an unknown outcome', async (_, call, reply) => {
    const { sent, keys, bodies, error } = await run(call, reply, ambiguous);
    expect(sent).toHaveLength(4);
    expect(bodies).toHaveLength(1);
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^[!-~]{8,200}$/);
    expect(error).toMatchObject({ idempotencyKey: keys[0], outcome: 'unknown' });
  });

  test('sends a key with the first attempt of a chat', async () => {
    const { fetch, sent } = scripted(completed);
    await clientOf(fetch, ambiguous).chat.completions.create(chat);
    expect(sent[0]?.headers.get('x-idempotency-key')).toMatch(/^[!-~]{8,200}$/);
  });

  test('sends different keys for two chats', async () => {
    const { fetch, sent } = scripted(completed);
    const gateway = clientOf(fetch, ambiguous);
    await gateway.chat.completions.create(chat);
    await gateway.chat.completions.create(chat);
    expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(2);
  });

  test('never retries a stream that has started', async () => {
    const { sent, error } = await run(readStream, cut, ambiguous);
    expect(sent).toHaveLength(1);
    expect(error).toBeInstanceOf(StreamTruncatedError);
  });
});

test('retryAmbiguous: { voices: true } does not apply to chat', async () => {
  const [, call] = routes[2] ?? [];
  const { sent } = await run(call as Call, reset, { retryAmbiguous: { voices: true } });
  expect(sent).toHaveLength(1);
});
