import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { callerOf } from '../caller.ts';

const callback = 'https://app.example/verified';

const start = async (options: MockGatewayOptions = {}) => {
  const mock = createMockGateway({ clock: 'virtual', ...options });
  const caller = callerOf(mock);
  const body = {
    url: 'https://files.example/portrait.png',
    type: 'image',
    name: '<b>Portrait</b>',
    real_person: { consent_confirmed: true, callback_url: `${callback}?own=1` },
  };
  const created = await caller.submit('/v1/materials', body, { 'idempotency-key': 'key' });
  const visit = (query = '', accept = 'text/html,*/*;q=0.8') =>
    mock.fetch(created.verification_url + query, { headers: { accept } });
  const status = async () => (await caller.read(`/v1/materials/${created.id}`)).status;
  return { mock, caller, id: created.id, visit, status };
};

test('a browser gets a page with both outcomes, and the status does not change yet', async () => {
  const { visit, status } = await start();
  const response = await visit();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const html = await response.text();
  expect(html).toMatch(/<form>.*name="outcome" value="succeeded".*name="outcome" value="failed"/s);
  expect(html).toContain('&lt;b&gt;Portrait');
  expect(html).not.toContain(callback);
  expect(await status()).toBe('verification_pending');
});

test.each([
  ['the first button', '?outcome=succeeded', 'text/html', 'processing'],
  ['the second button', '?outcome=failed', 'text/html', 'verification_failed'],
  ['a plain request', '', '*/*', 'processing'],
  ['a plain request with outcome=failed', '?outcome=failed', '*/*', 'verification_failed'],
])('%s redirects to the callback with two parameters', async (_, query, accept, outcome) => {
  const { id, visit, status } = await start();
  const response = await visit(query, accept);
  const expected = `${callback}?material_id=${id}&material_status=${outcome}`;
  expect([response.status, response.headers.get('location')]).toEqual([302, expected]);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await status()).toBe(outcome);
  expect((await visit('?outcome=succeeded', accept)).headers.get('location')).toBe(expected);
});

test('an expired verification redirects to the callback', async () => {
  const { mock, visit } = await start();
  await mock.clock.advance(31 * 60_000);
  const response = await visit();
  expect(response.headers.get('location')).toContain('material_status=verification_expired');
});

test('the verification of a deleted material returns 404, to browsers and programs', async () => {
  const { caller, id, visit } = await start();
  await caller.remove(`/v1/materials/${id}`);
  const response = await visit();
  expect([response.status, await response.text()]).toEqual([
    404,
    expect.stringContaining('has ended'),
  ]);
  expect((await (await visit('', '*/*')).json()).error.code).toBe('material_not_found');
});

test('the verification of a material that is being deleted returns 404, because callbacks have no such status', async () => {
  const { caller, id, visit, status } = await start({ materials: { deleteMs: 60_000 } });
  await caller.remove(`/v1/materials/${id}`);
  expect(await status()).toBe('delete_pending');
  expect((await visit('', '*/*')).status).toBe(404);
});
