import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI from 'openai';
import { describe, expectTypeOf, test } from 'vitest';

import { Polygate } from '../../src/index.ts';

describe('gateway.fetch', () => {
  test('is a fetch', () => {
    expectTypeOf<Polygate['fetch']>().toEqualTypeOf<typeof globalThis.fetch>();
    const { fetch } = new Polygate();
    const replaced: typeof globalThis.fetch = fetch;
    expectTypeOf(replaced('/v1/models')).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(fetch(new URL('https://host.example'))).resolves.toExtend<Response>();
    expectTypeOf(fetch(new Request('https://host.example'), { method: 'POST' })).toExtend<
      Promise<Response>
    >();
  });

  test('can be passed to other libraries', () => {
    const gateway = new Polygate();
    const { fetch } = gateway;
    const baseURL = `${gateway.baseURL}/v1`;
    void new OpenAI({ baseURL, fetch });
    void new ChatOpenAI({ configuration: { baseURL, fetch } });
    expectTypeOf(fetch).toExtend<NonNullable<OpenAICompatibleProviderSettings['fetch']>>();
  });

  test('is read-only, and so is baseURL', () => {
    const gateway = new Polygate();
    expectTypeOf(gateway.baseURL).toEqualTypeOf<string>();
    // @ts-expect-error a getter
    gateway.baseURL = 'https://host.example';
    // @ts-expect-error read-only
    gateway.fetch = globalThis.fetch;
  });

  test('accepts only what fetch accepts', () => {
    const gateway = new Polygate();
    expectTypeOf(gateway.fetch).toBeCallableWith('/v1/models', { method: 'GET' });
    // @ts-expect-error not a URL
    void gateway.fetch(7);
    // @ts-expect-error the client's own options belong to its methods
    void gateway.fetch('/v1/models', { maxRetries: 0 });
  });
});
