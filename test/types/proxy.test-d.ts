import type { IncomingMessage, ServerResponse } from 'node:http';

import { Redis } from 'ioredis';
import { describe, expectTypeOf, test } from 'vitest';

import { toNodeHandler } from '../../src/integrations/node/index.ts';
import { createProxyHandler, memoryStore } from '../../src/integrations/proxy/index.ts';
import type {
  ProxyOptions,
  ProxyResponse,
  Store,
  UserLimits,
} from '../../src/integrations/proxy/index.ts';
import { redisStore } from '../../src/integrations/proxy/redis/index.ts';
import { storeTests } from '../../src/integrations/proxy/testing/index.ts';

const required = { apiKey: 'sk-1', baseURL: 'https://host.example', authorize: () => 'ann' };

describe('the limits of the proxy', () => {
  test('are an object, or a function of the user and the request', () => {
    createProxyHandler({
      ...required,
      limits: { usd: 1, window: '1d', requests: 2, concurrent: 4 },
    });
    createProxyHandler({ ...required, limits: { window: 60_000, chatUsd: 0.1 } });
    const limits: ProxyOptions['limits'] = async (user, request) => {
      expectTypeOf(user).toEqualTypeOf<string>();
      expectTypeOf(request).toEqualTypeOf<Request>();
      return user === 'ann' ? undefined : { usd: 1 };
    };
    createProxyHandler({ ...required, limits });
    // @ts-expect-error: not the name of a window
    createProxyHandler({ ...required, limits: { window: '1w' } });
    expectTypeOf<UserLimits['usd']>().toEqualTypeOf<number | undefined>();
  });

  test('are stored in memory, or in Redis with a client of ioredis', () => {
    expectTypeOf(memoryStore()).toEqualTypeOf<Store>();
    expectTypeOf(redisStore(new Redis())).toEqualTypeOf<Store>();
    expectTypeOf(storeTests(memoryStore)[0]!.run).toEqualTypeOf<() => Promise<void>>();
  });

  test('have a usage', async () => {
    const handler = createProxyHandler(required);
    expectTypeOf(handler).toExtend<(request: Request) => Promise<Response>>();
    const { usd, windowEndsAt } = await handler.usage('ann');
    expectTypeOf(usd).toEqualTypeOf<number>();
    expectTypeOf(windowEndsAt).toEqualTypeOf<Date>();
  });
});

test('onResponse receives the outcome, and no status without a response', () => {
  expectTypeOf<ProxyResponse['outcome']>().toEqualTypeOf<
    'accepted' | 'rejected' | 'not-sent' | 'unknown'
  >();
  expectTypeOf<ProxyResponse['status']>().toEqualTypeOf<number | undefined>();
});

test('toNodeHandler is a listener of node:http', () => {
  const handler = toNodeHandler(createProxyHandler(required));
  expectTypeOf(handler).toExtend<
    (incoming: IncomingMessage, outgoing: ServerResponse) => unknown
  >();
});
