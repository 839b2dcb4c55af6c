/** What the diagnosis says about keys, accounts, models and services that work, but not entirely. */
import { Polygate } from 'polygate';
import type { Model } from 'polygate';
import { diagnose } from 'polygate/doctor';
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';
import { expect, test } from 'vitest';

import { modelTypes } from '../../../src/wire/types/catalog/pricing.ts';
import {
  addressOf,
  checkDiagnosis,
  findingAbout,
  findingOf,
  idsWith,
  startMock,
} from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

test.each([
  ['unknown', 'sk-unknown-key-of-nobody', /invalid/],
  ['missing', undefined, /apiKey/],
])('with a key that is %s, the public checks still run', async (_, apiKey, detail) => {
  const { base, run, mock } = startMock();
  const diagnosis = await run({ maxSpendUsd: 1 }, new Polygate({ ...base, apiKey }));
  expect(findingOf(diagnosis, 'authentication')).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(detail),
  });
  expect(idsWith(diagnosis, 'failed')).toEqual(['authentication']);
  expect(findingAbout(diagnosis, 'A16').status).toBe('ok');
  expect(findingAbout(diagnosis, 'A10').status).toBe('ok');
  expect(findingOf(diagnosis, 'wallet').detail).toBe('The API key could not be used.');
  expect(mock.invoice).toEqual([]);
});

test('a disabled key is reported', async () => {
  const { run, mock } = startMock();
  mock.setKeyState(mock.apiKey, 'disabled');
  expect(findingOf(await run(), 'authentication').detail).toContain('api_key_disabled');
});

test('an empty wallet is reported, with the checks that block the account', async () => {
  const { run } = startMock({ wallet: { usd: 0 } });
  const diagnosis = await run({ maxSpendUsd: 1 });
  expect(idsWith(diagnosis, 'failed')).toEqual(['readiness', 'wallet', 'key-balance']);
  expect(findingOf(diagnosis, 'readiness').detail).toContain('unified_wallet');
  expect(findingOf(diagnosis, 'chat')).toMatchObject({ status: 'skipped' });
});

test('amounts have no exponent', async () => {
  const { run } = startMock({ wallet: { usd: 1e-8 } });
  expect(findingOf(await run(), 'wallet').detail).toBe('The balance is $0.00000001.');
});

test('a concurrency limit of 0 is reported, and nothing waits for a slot', async () => {
  const { run, mock } = startMock();
  mock.setConcurrencyLimit(0);
  const diagnosis = await run({ maxSpendUsd: 1 });
  expect(idsWith(diagnosis, 'failed')).toEqual(['wallet.concurrency']);
  expect(findingOf(diagnosis, 'chat').detail).toContain('concurrency limit');
  expect(mock.requests.every(({ method }) => method === 'GET')).toBe(true);
});

/** Changes the JSON of responses at a path. */
const changed =
  (path: string, change: (body: any) => unknown): Wrap =>
  (fetch) =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!addressOf(input).endsWith(path)) return response;
    return Response.json(change(await response.json()), { headers: response.headers });
  };

test('prices that are only texts are reported, and nothing is spent on their models', async () => {
  const withTexts = ({ data }: { data: Model[] }) => ({
    data: data.map(({ id, type }) => ({ id, type, pricing: { text: '$1 per request' } })),
  });
  const { run, mock } = startMock({}, changed('/v1/models', withTexts));
  const diagnosis = await run({ maxSpendUsd: 1 });
  expect(findingOf(diagnosis, 'models.prices')).toMatchObject({ status: 'warning' });
  expect(findingOf(diagnosis, 'chat').detail).toBe(
    'The service lists no price for its chat models.',
  );
  expect(mock.invoice).toEqual([]);
});

test('kinds without models are reported', async () => {
  const onlyChat = ({ data }: { data: Model[] }) => ({
    data: data.filter(({ type }) => type === 'chat'),
  });
  const { run } = startMock({}, changed('/v1/models', onlyChat));
  const diagnosis = await run({ maxSpendUsd: 1 });
  const missing = modelTypes.filter((type) => type !== 'chat').join(', ');
  expect(findingOf(diagnosis, 'models').detail).toContain(`none of type ${missing}`);
  expect(findingOf(diagnosis, 'image-task').detail).toBe('The service lists no image models.');
  expect(findingOf(diagnosis, 'chat').status).toBe('ok');
});

test('a model that the service rejects is replaced by the next one', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'POST /v1/chat/completions', status: 400, times: 1 });
  const diagnosis = await run({ maxSpendUsd: 1 });
  expect(findingOf(diagnosis, 'chat')).toMatchObject({ status: 'ok' });
  expect(findingOf(diagnosis, 'chat').detail).not.toContain('aurora-chat');
});

test('a rate limit skips the checks that it hits, and says when to run again', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/models', status: 429, retryAfter: 30 });
  mock.fail({ route: 'GET /v1/materials', status: 429 });
  const diagnosis = await run();
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(findingOf(diagnosis, 'models')).toMatchObject({
    status: 'skipped',
    advice: expect.stringContaining('in 30 s'),
  });
  expect(findingAbout(diagnosis, 'A21')).toMatchObject({ status: 'skipped' });
});

test('a request that is forbidden may not have been forwarded by a proxy', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/materials', status: 403 });
  expect(findingAbout(await run(), 'A21')).toMatchObject({
    status: 'skipped',
    advice: expect.stringContaining('a proxy'),
  });
});

test('a service that is degraded is reported, and one that fails now is no other service', async () => {
  const degraded = (body: object) => ({ ...body, overallStatus: 'degraded', summary: 'Slow' });
  const { run } = startMock({}, changed('/v1/status', degraded));
  expect(findingOf(await run(), 'reachable')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('degraded: Slow'),
  });
  const failing = startMock();
  failing.mock.fail({ status: 503 });
  const { detail, advice } = findingOf(await failing.run(), 'reachable');
  expect(detail).toContain('status 503');
  expect(advice).toContain('again');
});

test('a gateway without a status endpoint is recognized', async () => {
  const { run, mock } = startMock();
  mock.fail({ route: 'GET /v1/status', status: 404 });
  const diagnosis = await run();
  expect(findingOf(diagnosis, 'reachable')).toMatchObject({ status: 'ok' });
  expect(findingAbout(diagnosis, 'A16').detail).toContain('status (404)');
});

test('behind the proxy of this package, requests that it does not forward are reported', async () => {
  // In real time, because the proxy hashes keys, for which the virtual clock does not wait.
  const mock = createMockGateway({ tasks: { durationMs: 50 } });
  const { apiKey, baseURL } = mock;
  const handler = createProxyHandler({
    apiKey,
    baseURL,
    fetch: mock.fetch,
    basePath: '',
    authorize: () => 'one',
  });
  const gateway = new Polygate({
    apiKey: null,
    baseURL: 'https://app.example',
    fetch: (input, init) =>
      addressOf(input).startsWith(baseURL)
        ? mock.fetch(input, init)
        : handler(new Request(input, init)),
    logLevel: 'off',
  });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 0.1 });
  checkDiagnosis(diagnosis, apiKey);
  expect(findingOf(diagnosis, 'authentication').detail).toContain('not read the account');
  expect(idsWith(diagnosis, 'failed')).toEqual([]);
  expect(idsWith(diagnosis, 'warning')).toEqual([
    'authentication',
    'readiness',
    'key-balance',
    'models.styles',
    'header-prefix',
    'materials',
  ]);
  expect(findingOf(diagnosis, 'replay').status).toBe('ok');
});
