import {
  APIError,
  AbortedError,
  ConflictError,
  Polygate,
  ServerError,
  ServiceUnavailableError,
} from 'polygate';
import type { Fault } from 'polygate/mock';
import type { ProxyResponse } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { rejection } from '../../support/rejection.ts';
import { chat, image, imageUsd, usageOf } from './limits/support.ts';
import { canary, startProxy } from './support.ts';
import type { ProxySetup } from './support.ts';

const chats = 'POST /v1/chat/completions';
const submits = 'POST /v1/images/tasks';

/** A code that says that the request may have been charged. */
const codeOf = (status: number) =>
  status === 409 ? 'attempt_repeated' : 'material_create_outcome_uncertain';

const tooLarge = 1_048_577;

/** Error bodies that do not reveal their code. */
const unread: readonly (readonly [string, (status: number) => Fault])[] = [
  ['is lost', (status) => ({ code: codeOf(status), truncateBody: 20 })],
  ['is lost after its first byte', (status) => ({ code: codeOf(status), truncateBody: 1 })],
  ['is too large', () => ({ body: 'x'.repeat(tooLarge) })],
];

const cases = [409, 503].flatMap((status) =>
  unread.flatMap(([problem, faultOf]) =>
    [{ usd: 1 }, undefined].map((limits) => ({
      status,
      problem,
      fault: { status, handled: true, retryAfter: 0, ...faultOf(status) },
      limits,
      with: limits ? 'with' : 'without',
    })),
  ),
);

describe.each(cases)(
  'a $status after the charge whose body $problem, $with limits,',
  ({ status, fault, limits }) => {
    async function start() {
      const responses: ProxyResponse[] = [];
      const onResponse = (response: ProxyResponse) => void responses.push(response);
      return { ...(await startProxy({ limits, onResponse })), responses };
    }

    test('does not make a page pay for a chat again', async () => {
      const setup = await start();
      setup.mock.fail({ route: chats, times: 1, ...fault });
      const error = await rejection(ServerError, setup.page().chat.completions.create(chat));
      expect(error).toMatchObject({ status: 502, code: 'bad_gateway', outcome: 'unknown' });
      expect(error.message).toContain(String(status));
      expect(setup.mock.invoice).toHaveLength(1);
      expect(setup.responses).toMatchObject([{ status, outcome: 'unknown' }]);
      if (limits) expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: 0.05 });
    });

    test('keeps the price of an image reserved until the same key is sent again', async () => {
      const setup = await start();
      setup.mock.fail({ route: submits, times: 1, ...fault });
      const key = { idempotencyKey: 'k' };
      const submit = setup.page({ maxRetries: 0 }).images.submit(image, key);
      expect(await rejection(ServerError, submit)).toMatchObject({ outcome: 'unknown' });
      if (limits) expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: imageUsd });
      const task = await setup.page().images.submit(image, key);
      expect(task.replayed).toBe(true);
      expect(setup.mock.invoice).toHaveLength(1);
      if (limits) expect(await usageOf(setup)).toMatchObject({ usd: imageUsd, reservedUsd: 0 });
      const outcomes = setup.responses.map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['unknown', 'accepted']);
    });

    test('is retried for an image with its key, which is paid once', async () => {
      const { mock, page } = await start();
      mock.fail({ route: submits, times: 1, ...fault });
      expect(await page({ random: () => 0 }).images.submit(image)).toHaveProperty('replayed', true);
      expect(mock.invoice).toHaveLength(1);
    });
  },
);

test.each([
  [402, 'rejected'],
  [429, 'rejected'],
  [500, 'unknown'],
])('a %i whose body is lost keeps its status and is %s', async (status, outcome) => {
  const setup = await startProxy({ limits: { usd: 1 } });
  setup.mock.fail({ route: chats, status, truncateBody: 20 });
  const call = setup.page({ maxRetries: 0 }).chat.completions.create(chat);
  expect(await rejection(APIError, call)).toMatchObject({ status, outcome });
  const reservedUsd = outcome === 'unknown' ? 0.05 : 0;
  expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd });
});

test('an error whose charge is hidden says in whole sentences that it may have been charged', async () => {
  const { mock, page } = await startProxy({ exposeCharges: false });
  const body = { error: { message: 'Overloaded' } };
  const headers = { 'x-svc-charge-usd': '0.02' };
  mock.fail({ route: chats, status: 503, handled: true, body, headers });
  const error = await rejection(ServerError, page().chat.completions.create(chat));
  expect(error.message).toContain('Overloaded (503). The request may have been charged.');
  expect(mock.invoice).toHaveLength(1);
});

test('a 503 without a body rejects a chat, which is sent again', async () => {
  const setup = await startProxy({ limits: { usd: 1 } });
  setup.mock.fail({ route: chats, status: 503, body: '', times: 1 });
  await setup.page({ random: () => 0 }).chat.completions.create(chat);
  expect(setup.mock.invoice).toHaveLength(1);
  expect(await usageOf(setup)).toMatchObject({ reservedUsd: 0, requests: 2 });
});

test.each([
  [409, ConflictError],
  [503, ServiceUnavailableError],
])('the code at the end of a large %i is read', async (status, Class) => {
  const responses: ProxyResponse[] = [];
  const { mock, page } = await startProxy({
    onResponse: (response) => void responses.push(response),
  });
  const error = { message: 'x'.repeat(300_000), code: codeOf(status) };
  mock.fail({ route: chats, status, handled: true, body: { error } });
  const chatError = await rejection(Class, page().chat.completions.create(chat));
  expect(chatError).toMatchObject({ status, code: codeOf(status), outcome: 'unknown' });
  expect(mock.invoice).toHaveLength(1);
  expect(responses).toMatchObject([{ status, outcome: 'unknown' }]);
});

const uncertain = JSON.stringify({ error: { code: codeOf(503) } });

describe.each([
  ['JSON in a JSON string', JSON.stringify(uncertain)],
  ['a template in a JSON string', '"{error}"'],
  ['JSON behind a character that JSON does not allow', `\u00a0${uncertain}`],
  ['JSON with HTML behind it', `${uncertain}</html>`],
  ['JSON that is cut off', uncertain.slice(0, 20)],
  ['a code with a space behind it', uncertain.replace('uncertain', 'uncertain ')],
])('a 503 after the charge whose body is %s', (_, body) => {
  const fault = { route: chats, times: 1, status: 503, handled: true, retryAfter: 0, body };

  test('leaves the outcome open in the proxy and its page', async () => {
    const responses: ProxyResponse[] = [];
    const onResponse = (response: ProxyResponse) => void responses.push(response);
    const setup = await startProxy({ limits: { usd: 1 }, onResponse });
    setup.mock.fail(fault);
    const error = await rejection(APIError, setup.page().chat.completions.create(chat));
    expect(error.outcome).toBe('unknown');
    expect(setup.mock.invoice).toHaveLength(1);
    expect(responses).toMatchObject([{ status: 503, outcome: 'unknown' }]);
    expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd: 0.05 });
  });

  test('leaves the outcome open in a client without a proxy', async () => {
    const { mock, gatewayURL: baseURL } = await startProxy();
    mock.fail(fault);
    const gateway = new Polygate({ baseURL, apiKey: canary, logLevel: 'off' });
    const error = await rejection(APIError, gateway.chat.completions.create(chat));
    expect(error.outcome).toBe('unknown');
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('a page that leaves', () => {
  test.each([
    [503, 'unknown', 0.05],
    [429, 'rejected', 0],
  ])('while the body of a %i stalls: the outcome is %s', async (status, outcome, reservedUsd) => {
    const responses: ProxyResponse[] = [];
    const leaving = new AbortController();
    const setup = await startProxy({
      limits: { usd: 1 },
      onResponse: (response) => void responses.push(response),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        setImmediate(() => leaving.abort());
        return response;
      },
    });
    setup.mock.fail({ route: chats, status, handled: true, stallBody: 20 });
    await rejection(AbortedError, create(setup, leaving));
    await eventually(() => expect(responses).toMatchObject([{ status, outcome }]));
    expect(await usageOf(setup)).toMatchObject({ usd: 0, reservedUsd });
  });

  test('before the headers of a 503 arrive: its body is read nevertheless', async () => {
    const responses: ProxyResponse[] = [];
    const leaving = new AbortController();
    const setup = await startProxy({
      limits: { usd: 1 },
      onResponse: (response) => void responses.push(response),
    });
    setup.mock.fail({ route: chats, status: 503, delayMs: 300 });
    const left = rejection(AbortedError, create(setup, leaving));
    await eventually(() => expect(setup.mock.requests).toHaveLength(1));
    leaving.abort();
    await left;
    await eventually(() => expect(responses).toMatchObject([{ outcome: 'rejected' }]));
    expect(await usageOf(setup)).toMatchObject({ reservedUsd: 0 });
  });

  const create = ({ page }: ProxySetup, { signal }: AbortController) =>
    page().chat.completions.create(chat, { signal });
});
