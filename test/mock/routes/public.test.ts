import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { endpoints } from '../../../src/mock/routes/index.ts';
import type { ErrorDetail } from '../../../src/wire/types/catalog/errors.ts';
import { callerOf, codeOf, image, video } from '../caller.ts';
import { provoke } from '../openapi/requests.ts';

const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 } });
const caller = callerOf(mock);
const fetchPath = (path: string) => mock.fetch(mock.baseURL + path);
const read = async (path: string): Promise<any> => (await fetchPath(path)).json();

test('public endpoints require no key', async () => {
  for (const { path, auth, method } of endpoints) {
    if (auth !== 'none' || method !== 'GET' || path.includes('{')) continue;
    expect((await fetchPath(path)).status).toBe(200);
  }
});

test('the status is available in four languages, and in English for unknown locales', async () => {
  const titles = await Promise.all(
    ['', '?locale=zh-CN', '?locale=ja-JP', '?locale=ko-KR', '?locale=xx'].map(
      async (query) => (await read(`/v1/status${query}`)).title,
    ),
  );
  expect(new Set(titles).size).toBe(4);
  expect(titles[4]).toBe(titles[0]);
});

test('every code of the catalog has a detail, and an unknown code returns 404', async () => {
  const { data } = await read('/v1/errors');
  for (const entry of data) expect(await read(`/v1/errors/${entry.code}`)).toEqual(entry);
  expect(data.map((entry: { code: string }) => entry.code)).toContain('material_not_managed');
  for (const code of ['nope', 'toString', '__proto__']) {
    expect((await fetchPath(`/v1/errors/${code}`)).status).toBe(404);
  }
});

test('the catalog declares retryable exactly what a client retries', async () => {
  const { data } = await caller.read('/v1/errors');
  const retryable: number[] = data
    .filter((entry: ErrorDetail) => entry.retry?.retryable)
    .map((entry: ErrorDetail) => entry.httpStatus);
  expect(new Set(retryable)).toEqual(new Set([429, 500, 503]));
  expect(await caller.read('/v1/errors/not_implemented')).toMatchObject({
    httpStatus: 501,
    retry: { retryable: false },
  });
});

test('the pricing catalog lists all models or the models of one type', async () => {
  const models = (await caller.read('/v1/models')).data;
  expect((await read('/v1/pricing')).data).toHaveLength(models.length);
  const audio = await read('/v1/pricing?type=audio');
  expect(new Set(audio.data.map((entry: { type: string }) => entry.type))).toEqual(
    new Set(['audio']),
  );
  expect(await codeOf(await fetchPath('/v1/pricing?type=text'))).toBe('invalid_request_parameter');
});

test('the default catalog has every kind of model that the specification requires', async () => {
  const { data } = await caller.read('/v1/models');
  const units = data.map((model: any) => model.pricing.profiles.api.billingUnit);
  expect(new Set(units)).toEqual(new Set(['token', 'image', 'second', 'character', 'audio']));
  expect(data.some((model: any) => model.id.includes('/'))).toBe(true);
  const resolutions = (type: string) =>
    data.find((model: any) => model.type === type).pricing.resolutionPrices.length;
  expect(resolutions('image')).toBeGreaterThanOrEqual(2);
  expect(resolutions('video')).toBeGreaterThanOrEqual(1);
});

const documented = endpoints.filter((endpoint) => endpoint.hidden !== true);

test.each(documented.map((endpoint) => [endpoint.route, endpoint] as const))(
  '%s returns its documented record',
  async (route, endpoint) => {
    const status = endpoint.status ?? 200;
    const [response] = await provoke(route, String(status));
    expect(response?.status).toBe(status);
    const result = endpoint.responseSchema!.safeParse(await response?.json());
    expect(result.error?.issues).toBeUndefined();
  },
);

test('the OpenAPI document is generated from the endpoint table', async () => {
  const document = await read('/v1/openapi.json');
  expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '2026.05' } });
  const routes = Object.entries<any>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.toSorted()).toEqual(documented.map((endpoint) => endpoint.route).toSorted());
  const ids = Object.values<any>(document.paths).flatMap((operations) =>
    Object.values<any>(operations).map((operation) => operation.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  const submit = document.paths['/v1/videos'].post;
  expect(Object.keys(submit.responses)).toEqual([
    '202',
    '400',
    '401',
    '402',
    '403',
    '404',
    '409',
    '413',
    '429',
    '503',
  ]);
  expect(document.components.schemas.VideoRequest.required).toEqual(['model']);
  expect(submit.responses['202'].headers).toHaveProperty('x-svc-task-id');
  expect(document.paths['/v1/status'].get.security).toEqual([]);
  expect(JSON.stringify(document)).not.toMatch(/\$schema|"const"|prefixItems/);
});

test('the home page shows the latest tasks and escapes their prompts', async () => {
  const gateway = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 } });
  await callerOf(gateway).submit('/v1/images/tasks', { ...image, prompt: '<script>"x"&' });
  await callerOf(gateway).submit('/v1/videos', video);
  const response = await gateway.fetch(`${gateway.baseURL}/`);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  const html = await response.text();
  expect(html).toContain('&lt;script&gt;&quot;x&quot;&amp;');
  expect(html).not.toContain('<script>');
  expect(html).toContain('<video');
});

test('a HEAD request returns only the headers', async () => {
  const response = await mock.fetch(`${mock.baseURL}/v1/status`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
  expect(await response.text()).toBe('');
});

test('a rate-limit tier keeps its own limit when an account has another one', async () => {
  for (const [options, limit] of [
    [{}, 8],
    [{ concurrencyLimit: 3 }, 8],
  ] as const) {
    const gateway = createMockGateway(options);
    const response = await gateway.fetch(`${gateway.baseURL}/v1/rate-limits`);
    const { tiers } = await response.json();
    expect(tiers).toEqual([{ id: 'tier_enterprise', concurrency: limit }]);
  }
});

test('the status is degraded while requests fail, and recovers', async () => {
  const gateway = createMockGateway({ clock: 'virtual' });
  const status = async (locale = 'en-US'): Promise<any> =>
    (await gateway.fetch(`${gateway.baseURL}/v1/status?locale=${locale}`)).json();
  const healthy = await status();
  expect(healthy).toMatchObject({ overallStatus: 'operational', metrics: { successRate: 100 } });
  gateway.fail({ route: 'POST /v1/images/tasks', status: 503, times: 1 });
  await callerOf(gateway).post('/v1/images/tasks', image);
  const degraded = await status();
  expect(degraded).toMatchObject({ overallStatus: 'degraded', metrics: { successRate: 50 } });
  expect(degraded.title).not.toBe(healthy.title);
  expect(new Set([degraded.title, (await status('ja-JP')).title]).size).toBe(2);
  for (let count = 0; count < 100; count += 1) await status();
  expect(await status()).toEqual(healthy);
});

test('the error catalog contains the codes of undocumented endpoints', async () => {
  const gateway = createMockGateway({ assumptions: { A20: 'on' } });
  const code = await codeOf(await callerOf(gateway).post('/v1beta/interactions', {}));
  expect((await fetchPath(`/v1/errors/${code}`)).status).toBe(200);
});
