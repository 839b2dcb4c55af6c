/** A mobile app, whose engine has no `crypto`, and a `URL` with a constructor only. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { image, onMock } from '../support.ts';

const { URL: complete } = globalThis;

beforeEach(() => {
  class MobileURL extends complete {}
  Object.assign(MobileURL, { parse: undefined, canParse: undefined });
  vi.stubGlobal('URL', MobileURL);
  vi.stubGlobal('crypto', undefined);
});
afterEach(() => vi.unstubAllGlobals());

test('a task is submitted and waited for, with a key of its own', async () => {
  const { mock, gateway } = onMock();
  const results = [gateway.images.generate(image), gateway.images.generate(image)];
  await mock.clock.settle(Promise.all(results));
  const keys = mock.invoice.map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{32}$/);
});
