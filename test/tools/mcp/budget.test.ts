/** What a lost call counts once the service has rejected its repetition. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { APIError, ConnectionError, Polygate } from 'polygate';
import { expect, onTestFinished, test } from 'vitest';

import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { ProcessBudget } from '../../../src/tools/mcp/budget.ts';
import { Refunds } from '../../../src/tools/mcp/refunds.ts';
import { mcpSubmissions } from '../../support/mcp-submissions.ts';

const quote = { usd: 0.02, priceClass: 'image', units: 1 };
const purchase = { route: 'generate_image', model: 'prism-image', quote };

/** Loses a call for 0.02 USD, repeats it with this status, and learns then that such calls cost 0.05 USD. */
async function leftAfter(status: number, code?: string): Promise<number> {
  const { apiKey, baseURL, fetch } = createMockGateway();
  const refunds = new Refunds(
    new Polygate({ apiKey, baseURL, fetch }),
    new AbortController().signal,
  );
  const budget = new ProcessBudget({ maxUsd: 1, maxUsdPerCall: undefined }, refunds);
  const reserve = (idempotencyKey: string) => budget.reserve({ ...purchase, idempotencyKey });
  (await reserve('a')).leave(new ConnectionError('lost', { outcome: 'unknown' }));
  const body = { error: { message: 'no', code } };
  const rejected = new APIError('no', { code, body, meta: emptyMeta(status), outcome: 'rejected' });
  (await reserve('a')).leave(rejected);
  const other = await reserve('b');
  other.note({ ...emptyMeta(202), chargeUsd: 0.05 });
  other.charge({ chargeUsd: 0.05, replayed: false });
  return budget.leftUsd;
}

test('nothing if the service rejects the key as invalid: it was not charged', async () => {
  expect(await leftAfter(400, 'invalid_idempotency_key')).toBe(0.95);
});

test.each([400, 401, 402, 403, 404, 422, 429, 503])(
  'what such calls cost after a %d: it may have been charged',
  async (status) => {
    expect(await leftAfter(status)).toBe(0.9);
  },
);

test('each charge counts, also that of an attempt that another one follows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mock = createMockGateway();
  // As if the service ignored keys.
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    request.headers.delete('x-idempotency-key');
    return mock.fetch(request);
  };
  const { apiKey, baseURL } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off', random: () => 0 });
  const { submissions, budget, call } = mcpSubmissions(gateway, folder, 1);
  const headers = { 'x-svc-charge-usd': '0.02' };
  mock.fail({ route: 'POST /v1/images/tasks', status: 500, handled: true, headers, times: 1 });
  const body = { model: 'prism-image', prompt: 'A harbor' };
  const request = { kind: 'image' as const, ...body, params: {} };
  const output = join(folder, '{id}.{ext}');
  const order = { tool: 'generate_image', request, body, idempotencyKey: 'k', output };
  const { chargeUsd } = await submissions.open(order, call);
  expect(mock.invoice).toHaveLength(2);
  expect(chargeUsd).toBe(0.04);
  expect(budget.leftUsd).toBe(0.96);
});
