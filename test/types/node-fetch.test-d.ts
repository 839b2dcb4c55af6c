import { Polygate } from 'polygate';
import { nodeFetch } from 'polygate/node';
import type { NodeFetch, NodeFetchOptions } from 'polygate/node';
import type { Agent, ProxyAgent } from 'undici';
import type { Agent as Agent8 } from 'undici-8';
import { expectTypeOf, test } from 'vitest';

test('nodeFetch returns a fetch for the client', () => {
  const fetch = nodeFetch({ connections: 8, http2: true, proxy: 'env', connectTimeout: 1_000 });
  expectTypeOf(fetch).toEqualTypeOf<NodeFetch>();
  expectTypeOf(fetch).toExtend<typeof globalThis.fetch>();
  expectTypeOf(fetch.close()).toEqualTypeOf<Promise<void>>();
  void new Polygate({ fetch });
});

test('nodeFetch accepts the dispatchers of both versions of undici', () => {
  expectTypeOf<Agent>().toExtend<NonNullable<NodeFetchOptions['dispatcher']>>();
  expectTypeOf<ProxyAgent>().toExtend<NonNullable<NodeFetchOptions['dispatcher']>>();
  expectTypeOf<Agent8>().toExtend<NonNullable<NodeFetchOptions['dispatcher']>>();
});

test('nodeFetch rejects what is no option', () => {
  expectTypeOf<{ conections: number }>().not.toExtend<NodeFetchOptions>();
  expectTypeOf<{ dispatcher: object }>().not.toExtend<NodeFetchOptions>();
});
