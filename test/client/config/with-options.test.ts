import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import {
  baseURL,
  caught,
  clientOf,
  errorReply,
  hang,
  image,
  jsonReply,
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
    const first = clientOf(fetch);
    const second = first.withOptions({ maxRetries: 0 });
    const stop = new AbortController();
    const calls = [first, second, first, second, first, second].map((gateway) =>
      caught(gateway.images.submit(image, { signal: stop.signal })),
    );
    await turns();
    expect(sent).toHaveLength(4);
    expect(first.concurrency).toMatchObject({ inFlight: 4, queued: 2 });
    expect(second.concurrency).toMatchObject({ inFlight: 4, queued: 2 });
    stop.abort();
    await Promise.all(calls);
    expect(second.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe('withOptions with another API key or base URL', () => {
  const getKey = () => 'sk-test';
  const others: [string, PolygateOptions, PolygateOptions][] = [
    ['another key', {}, { apiKey: 'sk-other' }],
    ['another base URL', {}, { baseURL: 'https://other.example' }],
    ['no key', {}, { apiKey: null }],
    ['another key function', { apiKey: getKey }, { apiKey: () => 'sk-test' }],
    ['another authorization header', {}, { headers: { authorization: 'Bearer sk-other' } }],
  ];
  const same: [string, PolygateOptions, PolygateOptions][] = [
    ['the same key', {}, { apiKey: 'sk-test' }],
    ['the same base URL in another spelling', {}, { baseURL: `${baseURL}/v1/` }],
    ['the same key function', { apiKey: getKey }, { apiKey: getKey }],
    ['another header', {}, { headers: { 'x-team': 'two' } }],
  ];
  const charged = jsonReply(
    202,
    { id: 'task_1', status: 'queued' },
    { 'x-svc-charge-usd': '0.02', 'x-svc-concurrency-limit': '8' },
  );

  test.each(others)(
    'starts with an empty ledger and an unknown limit: %s',
    async (_, options, changes) => {
      const gateway = clientOf(scripted(charged).fetch, options);
      await gateway.images.submit(image);
      const other = gateway.withOptions(changes);
      expect(other.spend).toMatchObject({ totalUsd: 0, requests: 0 });
      expect(other.concurrency.limit).toBeUndefined();
      await other.images.submit(image);
      expect([gateway.spend.requests, other.spend.requests]).toEqual([1, 1]);
    },
  );

  test.each(same)('shares them: %s', async (_, options, changes) => {
    const gateway = clientOf(scripted(charged).fetch, options);
    await gateway.images.submit(image);
    const other = gateway.withOptions(changes);
    expect(other.spend.totalUsd).toBe(0.02);
    expect(other.concurrency.limit).toBe(8);
  });

  test.each(others)(
    'is not slowed down by the requests of the first client: %s',
    async (_, options, changes) => {
      const { fetch, sent } = scripted(hang);
      const gateway = clientOf(fetch, options);
      const stop = new AbortController();
      const submit = (client: Polygate) =>
        caught(client.images.submit(image, { signal: stop.signal }));
      const calls = Array.from({ length: 6 }, () => submit(gateway));
      calls.push(submit(gateway.withOptions(changes)));
      await turns();
      expect(sent).toHaveLength(5);
      stop.abort();
      await Promise.all(calls);
    },
  );

  test('does not take a charge of the other account under the same idempotency key for a replay', async () => {
    const keys = ['sk-a', 'sk-b'].map((key, index) => ({ key, user: `user-${index}` }));
    const { mock, gateway } = onMock({ keys }, { budget: { maxUsd: 0.01 } });
    const first = gateway.withOptions({ budget: undefined });
    await first.images.submit(image, { idempotencyKey: 'row-1' });
    const other = first.withOptions({ apiKey: 'sk-b', budget: { maxUsd: 0.01 } });
    await other.models.list();
    const error = await caught(other.images.submit(image, { idempotencyKey: 'row-1' }));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(1);
  });

  test('does not use the prices of the other account', async () => {
    const { mock, gateway } = onMock();
    await gateway.models.list();
    const strict = gateway.withOptions({ budget: { maxUsd: 1, strict: true } });
    await strict.images.submit(image);
    mock.fail({ route: 'GET /v1/models', status: 503 });
    const other = strict.withOptions({ headers: { authorization: `Bearer ${mock.apiKey}` } });
    expect(await caught(other.images.submit(image))).toBeInstanceOf(BudgetExceededError);
  });

  test('does not use the poll paths of the other account', async () => {
    const polled = jsonReply(200, { id: 'task_1', status: 'running' });
    const { fetch, sent } = scripted(errorReply(404), polled, polled, polled);
    const paths = { videoTask: '/v2/video/{id}' };
    const gateway = clientOf(fetch, { paths });
    await gateway.videos.retrieve('task_1');
    const [, working = ''] = sent.map(({ url }) => url);
    await gateway.withOptions({ maxRetries: 1 }).videos.retrieve('task_1');
    await gateway.withOptions({ apiKey: 'sk-other' }).videos.retrieve('task_1');
    expect(sent.slice(2).map(({ url }) => url)).toEqual([working, `${baseURL}/v2/video/task_1`]);
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
