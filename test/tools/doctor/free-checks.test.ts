/** What the free checks say about records that differ from those of the reference gateway. */
import { Polygate } from 'polygate';
import { expect, test } from 'vitest';

import { addressOf, findingAbout, findingOf, startMock } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

/** Replaces responses whose URL contains a text. */
const replaced =
  (text: string, replace: (response: Response) => Response | Promise<Response>): Wrap =>
  (fetch) =>
  async (input, init) => {
    const response = await fetch(input, init);
    return addressOf(input).includes(text) ? replace(response) : response;
  };

test('a key that has expired is reported', async () => {
  const token = { unlimited_quota: true, expired_time: 1 };
  const wrap = replaced('/usage/balance', () => Response.json({ data: { token } }));
  expect(findingOf(await startMock({}, wrap).run(), 'key-balance')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('expired at 1970'),
  });
});

test.each<[object, status: string, detail: RegExp]>([
  [{ remain_quota: 0 }, 'failed', /used up/],
  [{ remain_quota: 5 }, 'ok', /has quota left/],
  [{ unlimited_quota: true, remain_quota: 0 }, 'ok', /no quota of its own/],
  [{ name: 'key' }, 'warning', /nothing about the quota/],
])('of a key with %o, no more is said than the record does', async (token, status, detail) => {
  const wrap = replaced('/usage/balance', () => Response.json({ data: { token } }));
  expect(findingOf(await startMock({}, wrap).run(), 'key-balance')).toMatchObject({
    status,
    detail: expect.stringMatching(detail),
  });
});

test.each([
  ['behind', 3_600_000],
  ['ahead of', -3_600_000],
])('a clock that is %s that of the service is reported', async (direction, offsetMs) => {
  const wrap = replaced('/v1/status', (response) => {
    response.headers.set('date', new Date(Date.now() + offsetMs).toUTCString());
    return response;
  });
  const { detail } = findingOf(await startMock({}, wrap).run(), 'public.clock');
  expect(detail).toContain(` ${direction} `);
});

test('a pricing catalog in another currency is reported', async () => {
  const wrap = replaced('/v1/pricing?', () => Response.json({ currency: 'CNY', data: [] }));
  expect(findingAbout(await startMock({}, wrap).run(), 'A19')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('CNY'),
  });
});

test('a material list that does not end is read only in part', async () => {
  let pages = 0;
  const wrap = replaced('/v1/materials', () => {
    pages += 1;
    return Response.json({ data: [], has_more: true, next_cursor: `page-${pages}` });
  });
  expect(findingAbout(await startMock({}, wrap).run(), 'A21').status).toBe('skipped');
  expect(pages).toBeLessThan(10);
});

test('a header that another service may send as well is not taken for the vendor prefix', async () => {
  const wrap = replaced('/', (response) => {
    const headers = new Headers({ 'x-cdn-task-id': '1' });
    return new Response(response.body, { status: response.status, headers });
  });
  const { status, option } = findingOf(await startMock({}, wrap).run(), 'header-prefix');
  expect([status, option]).toEqual(['warning', undefined]);
});

test('a prefix that the client reads, but whose headers occur elsewhere as well, is not named', async () => {
  const wrap = replaced('/', (response) => {
    const headers = new Headers({ 'x-acme-task-id': '1' });
    return new Response(response.body, { status: response.status, headers });
  });
  const { base, run } = startMock({}, wrap);
  const diagnosis = await run({}, new Polygate({ ...base, headerPrefix: 'x-acme-' }));
  expect(findingOf(diagnosis, 'header-prefix')).toMatchObject({
    status: 'ok',
    detail: 'The client reads documented headers.',
  });
});

test.each([
  [404, 'warning', undefined],
  [403, 'skipped', 'If a proxy is in between, it may not forward this request.'],
])('an OpenAPI document that returns a %i is reported', async (status, expected, advice) => {
  const { run, mock } = startMock({ assumptions: { A20: 'off' } });
  mock.fail({ route: 'GET /v1/openapi.json', status });
  const diagnosis = await run();
  const found = findingOf(diagnosis, 'openapi');
  expect(found.status).toBe(expected);
  expect(found.detail).toMatch(/^Not available: 40\d/);
  expect(found.advice).toBe(advice);
  expect(findingAbout(diagnosis, 'A20').status).toBe('skipped');
});
