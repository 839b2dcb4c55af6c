/** The run itself: its order, its end, and that nothing which a service sends makes it fail. */
import { ConfigurationError } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { DiagnosisCheck } from 'polygate/doctor';
import { expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { addressOf, findingOf, idsWith, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

test('checks start in order, and their findings are reported as they are made', async () => {
  const { run } = startMock();
  const events: string[] = [];
  const found: DiagnosisCheck[] = [];
  const { checks } = await run({
    maxSpendUsd: 0.1,
    onStart: ({ id }) => events.push(id),
    onCheck: (check) => {
      found.push(check);
      expect(check.id.split('.')[0]).toBe(events.at(-1));
    },
  });
  expect(found).toEqual(checks);
  expect(events).toEqual([
    'reachable',
    'authentication',
    'readiness',
    'wallet',
    'key-balance',
    'models',
    'header-prefix',
    'error-shape',
    'poll-paths',
    'public',
    'materials',
    'voices',
    'openapi',
    'chat',
    'stream',
    'image-task',
    'replay',
    'conflict',
    'download',
  ]);
});

test.each(['reachable', 'public', 'chat', 'chat.replay', 'image-task.submit'])(
  'an error that onCheck throws at %s ends the run at once',
  async (id) => {
    const { run, mock } = startMock();
    let sent: number | undefined;
    const onCheck = (check: DiagnosisCheck) => {
      expect(sent).toBeUndefined();
      if (check.id !== id) return;
      sent = mock.requests.length;
      throw new TypeError(id);
    };
    const error = await rejection(TypeError, run({ maxSpendUsd: 0.1, onCheck }));
    expect(error.message).toBe(id);
    expect(mock.requests).toHaveLength(sent ?? NaN);
  },
);

test('an abort resolves with what is known', async () => {
  const { run, mock } = startMock();
  const controller = new AbortController();
  const diagnosis = await run({
    maxSpendUsd: 0.1,
    signal: controller.signal,
    onStart: ({ id }) => {
      if (id === 'image-task') controller.abort();
    },
  });
  expect(findingOf(diagnosis, 'stream').status).toBe('ok');
  for (const id of ['image-task', 'replay', 'conflict', 'download']) {
    expect(findingOf(diagnosis, id)).toMatchObject({
      status: 'skipped',
      detail: expect.stringContaining('aborted'),
    });
  }
  expect(diagnosis.ok).toBe(false);
  expect(mock.requests.at(-1)?.path).toBe('/v1/chat/completions');
});

test('an abort during a request, or before the first one, resolves as well', async () => {
  const controller = new AbortController();
  const sent: string[] = [];
  const abortAtAccount: Wrap = (fetch) => (input, init) => {
    sent.push(new URL(addressOf(input)).pathname);
    const response = fetch(input, init);
    if (sent.includes('/v1/account')) controller.abort();
    return response;
  };
  const { run, mock } = startMock({}, abortAtAccount);
  mock.fail({ route: 'GET /v1/account', stallHeaders: true });
  const aborted = await run({ signal: controller.signal });
  expect(idsWith(aborted, 'ok')).toEqual(['reachable']);
  expect(sent).toEqual(['/v1/status', '/v1/account']);
  const none = await run({ signal: AbortSignal.abort() });
  expect(idsWith(none, 'skipped')).toHaveLength(none.checks.length);
});

test.each([
  ['GET /v1/status', 'reachable', 'failed'],
  ['GET /v1/account', 'authentication', 'skipped'],
  ['GET /v1/models', 'models', 'skipped'],
  ['GET /v1/capabilities', 'public', 'skipped'],
  ['GET /v1/usage/records', 'openapi.error', 'skipped'],
])(
  'a run that times out is not ok, and names %s as what it waited for',
  async (route, id, status) => {
    const controller = new AbortController();
    const stall: Wrap = (fetch) => (input, init) => {
      const response = fetch(input, init);
      if (new URL(addressOf(input)).pathname === route.slice('GET '.length)) {
        controller.abort(new DOMException('', 'TimeoutError'));
      }
      return response;
    };
    const { run, mock } = startMock({}, stall);
    mock.fail({ route, stallHeaders: true });
    const diagnosis = await run({ signal: controller.signal });
    expect(diagnosis.ok).toBe(false);
    const detail = `The run timed out while this check waited for ${route}.`;
    const waiting = diagnosis.checks.filter((check) => check.detail === detail);
    expect(waiting[0]).toMatchObject({ id, status });
    expect(findingOf(diagnosis, 'download')).toMatchObject({
      status: 'skipped',
      detail: 'The run timed out before this check started.',
    });
  },
);

test('a run that is aborted during the download names it as what it waited for', async () => {
  const controller = new AbortController();
  const stall: Wrap = (fetch) => (input, init) => {
    const response = fetch(input, init);
    if (addressOf(input).includes('/media/')) controller.abort();
    return response;
  };
  const { run, mock } = startMock({}, stall);
  mock.fail({ route: 'GET /media/{task}/{file}', stallHeaders: true });
  const diagnosis = await run({ maxSpendUsd: 0.1, signal: controller.signal });
  const waiting = /^The run was aborted while this check waited for GET (the result|result URL)\.$/;
  expect(findingOf(diagnosis, 'download').detail).toMatch(waiting);
});

/** Bodies that no gateway sends. */
const bodies = [
  'null',
  '[]',
  '{}',
  '"text"',
  '0',
  '{"data":null}',
  '{"data":[null]}',
  '{"data":{"data":[]}}',
  '{"checks":[{}]}',
  '{"checks":[{"id":"a","status":"b","required":true}],"balance":5,"concurrency":"x"}',
  '{"balance":{"usd":"12"},"concurrency":{"limit":null},"data":{"token":[]}}',
  '{"paths":[],"servers":[null]}',
  '{"paths":{"/a":null,"/b":{"get":1}},"servers":[{"url":7}]}',
  '{"id":5,"data":[{"id":"a","type":7,"pricing":{"profiles":{"api":5},"resolutionPrices":[null]}}]}',
  '{"data":[{"id":"a","type":"image","pricing":{"unitPriceUsd":"1"}}],"has_more":"yes","next_cursor":{}}',
  '<html>',
  '\u0000\u001b[31m',
  '',
];

test.each(bodies)('a service that responds with %j does not make it throw', async (body) => {
  // Recognized as a gateway, so that every check runs.
  const wrap: Wrap = (fetch, mock) => async (input, init) =>
    addressOf(input).endsWith('/v1/status')
      ? fetch(input, init)
      : new Response(body, { headers: { 'x-svc-balance-usd': 'many', [mock.apiKey]: '1' } });
  const { checks } = await startMock({}, wrap).run({ maxSpendUsd: 1 });
  const withStatus: Wrap = (fetch) => async (input, init) =>
    addressOf(input).endsWith('/v1/status')
      ? fetch(input, init)
      : new Response(body, { status: 418, headers: { 'retry-after': 'soon' } });
  const { spentUsd } = await startMock({}, withStatus).run({ maxSpendUsd: 1 });
  expect(checks.length).toBeGreaterThan(22);
  expect(spentUsd).toBe(0);
});

test.each(bodies)('a paid response of %j does not make it throw', async (body) => {
  for (const path of ['/v1/chat/completions', '/v1/images/']) {
    const wrap: Wrap = (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      return addressOf(input).includes(path)
        ? new Response(body, { headers: response.headers })
        : response;
    };
    const { run, mock } = startMock({}, wrap);
    await run({ maxSpendUsd: 0.01 });
    expect(mock.invoice.reduce((total, { usd }) => total + usd, 0)).toBeLessThanOrEqual(0.01);
  }
});

test.each(['sk-canary-51d0c3', 'canary-51d0c3'])(
  'neither the API key %s nor control characters of a service are repeated',
  async (key) => {
    const wrap: Wrap =
      (fetch, { apiKey }) =>
      async (input, init) => {
        const response = await fetch(input, init);
        if (!addressOf(input).endsWith('/v1/readiness')) return response;
        const id = `\u001b[31m${apiKey}\n`;
        return Response.json({
          status: apiKey,
          checks: [{ id, status: 'blocked', required: true }],
        });
      };
    const diagnosis = await startMock({ keys: [{ key }] }, wrap).run();
    expect(findingOf(diagnosis, 'readiness').detail).toContain('(the API key)');
    expect(JSON.stringify(diagnosis)).not.toContain(key);
  },
);

test('invalid options are rejected', async () => {
  const { run } = startMock();
  const amount = await rejection(ConfigurationError, run({ maxSpendUsd: -1 }));
  expect(amount.message).toContain('maxSpendUsd');
  await rejection(ConfigurationError, run({ maxSpendUsd: NaN }));
  // @ts-expect-error: a caller without types
  const client = await rejection(ConfigurationError, diagnose({}));
  expect(client.message).toContain('gateway');
});
