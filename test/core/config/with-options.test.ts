import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import {
  baseURL,
  caught,
  clientOf,
  hang,
  image,
  modelList,
  onMock,
  scripted,
  turns,
} from '../support.ts';

describe('a client from withOptions', () => {
  test('has other options, and does not change those of the first client', async () => {
    const { fetch, sent } = scripted(modelList);
    const first = clientOf(fetch, { headers: { 'x-team': 'one' } });
    const second = first.withOptions({ baseURL: 'https://other.example', apiKey: 'sk-other' });
    await second.models.list();
    await first.models.list();
    expect(sent.map(({ url }) => url)).toEqual([
      'https://other.example/v1/models',
      `${baseURL}/v1/models`,
    ]);
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer sk-other',
      'Bearer sk-test',
    ]);
    expect(sent[0]?.headers.get('x-team')).toBe('one');
  });

  test('shares the ledger with the first client', async () => {
    const { gateway } = onMock();
    const other = gateway.withOptions({ maxRetries: 0 });
    await other.images.submit(image);
    await gateway.images.submit(image);
    expect(gateway.spend.requests).toBe(2);
    expect(other.spend.totalUsd).toBe(gateway.spend.totalUsd);
    const overBudget = gateway.withOptions({ budget: { maxUsd: gateway.spend.totalUsd } });
    expect(await caught(overBudget.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  });

  test('shares the concurrency limiter with the first client', async () => {
    const { fetch, sent } = scripted(hang);
    const first = clientOf(fetch, { concurrency: 1 });
    const second = first.withOptions({ maxRetries: 0 });
    const stop = new AbortController();
    const calls = [first, second].map((gateway) =>
      caught(gateway.images.submit(image, { signal: stop.signal })),
    );
    await turns();
    expect(sent).toHaveLength(1);
    expect(first.concurrency).toMatchObject({ inFlight: 1, queued: 1 });
    expect(second.concurrency).toMatchObject({ inFlight: 1, queued: 1 });
    stop.abort();
    await Promise.all(calls);
    expect(second.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe('options that are changed after the client was created', () => {
  const mutableOptions = () => {
    const headers: Record<string, string> = { 'x-team': 'one' };
    const retryAmbiguous = { chat: false };
    const budget = { maxUsd: 1_000 };
    const options: PolygateOptions = {
      apiKey: 'sk-test',
      baseURL,
      headers,
      retryAmbiguous,
      budget,
    };
    const mutate = () => {
      options.apiKey = 'sk-evil';
      options.baseURL = 'https://evil.example';
      options.maxRetries = 50;
      headers['x-team'] = 'evil';
      headers['x-evil'] = 'yes';
      retryAmbiguous.chat = true;
      budget.maxUsd = 0;
    };
    return { options, mutate };
  };

  test('do not affect the client', async () => {
    const { fetch, sent } = scripted(modelList);
    const { options, mutate } = mutableOptions();
    const gateway = clientOf(fetch, options);
    mutate();
    await gateway.models.list();
    expect(sent[0]?.url).toBe(`${baseURL}/v1/models`);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-test');
    expect(sent[0]?.headers.get('x-team')).toBe('one');
    expect(sent[0]?.headers.has('x-evil')).toBe(false);
  });

  test('do not affect its budget or its retries', async () => {
    const { gateway: first, mock } = onMock();
    const { options, mutate } = mutableOptions();
    const { budget, retryAmbiguous } = options;
    const gateway = first.withOptions({ budget, retryAmbiguous });
    mutate();
    await gateway.images.submit(image);
    mock.fail({ route: 'POST /v1/chat/completions', reset: 'before' });
    await caught(
      mock.clock.settle(gateway.chat.completions.create({ model: 'aurora-chat', messages: [] })),
    );
    expect(mock.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(1);
  });

  test('do not affect a client that withOptions creates from it later', async () => {
    const { fetch, sent } = scripted(modelList);
    const { options, mutate } = mutableOptions();
    const gateway = clientOf(fetch, options);
    mutate();
    await gateway.withOptions({ maxRetries: 1 }).models.list();
    expect(sent[0]?.headers.get('x-team')).toBe('one');
    expect(sent[0]?.headers.has('x-evil')).toBe(false);
  });
});
