import type { ChatUsage, Generation, Model, SucceededGeneration, TaskHandle } from 'polygate';
import { Polygate } from 'polygate';
import { ChatClient } from 'polygate/chat';
import { useBudget, useChat, useGeneration, useModels, useSpend } from 'polygate/react';
import type { UserBudget } from 'polygate/react';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const gateway = new Polygate({ apiKey: null, baseURL: 'https://app.example/api/gateway' });
const client = new ChatClient({ apiKey: null, baseURL: 'https://app.example/api/gateway' });

interface AsyncStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
}
declare const asyncStorage: AsyncStorage;

test('useGeneration has the params and the kind of its namespace', () => {
  const hook = () =>
    useGeneration(gateway.images, { id: 'hero', onError: (error) => error.message });
  type Image = ReturnType<typeof hook>;
  expectTypeOf<Image['status']>().toEqualTypeOf<
    'idle' | 'submitting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'unknown'
  >();
  expectTypeOf<Image['progress']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Image['urls']>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Image['generation']>().toEqualTypeOf<Generation<'image'> | undefined>();
  expectTypeOf<Image['task']>().toEqualTypeOf<TaskHandle<'image'> | undefined>();
  expectTypeOf<Image['error']>().toEqualTypeOf<Error | undefined>();
  expectTypeOf<Image['isPending']>().toEqualTypeOf<boolean>();
  expectTypeOf<Awaited<ReturnType<Image['generate']>>>().toEqualTypeOf<
    SucceededGeneration<'image'> | undefined
  >();
  expectTypeOf<Image['generate']>().toBeCallableWith({ model: 'm', prompt: 'A harbor' });
  // @ts-expect-error -- a typo in a param
  expectTypeOf<Image['generate']>().toBeCallableWith({ model: 'm', promt: 'A harbor' });
});

test('useGeneration accepts every namespace that generates, and no other', () => {
  const hooks = () => [
    useGeneration(gateway.videos).generate({ model: 'm', prompt: 'A harbor' }),
    useGeneration(gateway.audio.music).generate({ model: 'm', prompt: 'A shanty' }),
    useGeneration(gateway.audio.speech).generate({ model: 'm', text: 'Ahoy', voice_id: 'v' }),
    useGeneration(gateway.videos, {
      onFinish: ({ kind, urls: [url] }) => {
        expectTypeOf(kind).toEqualTypeOf<'video'>();
        expectTypeOf(url).toEqualTypeOf<string>();
      },
      waitOptions: { pollInterval: 1_000 },
    }),
    // @ts-expect-error -- it generates nothing
    useGeneration(gateway.models),
  ];
  expectTypeOf(hooks).toBeFunction();
});

test('useGeneration accepts synchronous and asynchronous storages', () => {
  const hooks = () => [
    useGeneration(gateway.images, { id: 'hero', storage: sessionStorage }),
    useGeneration(gateway.images, { id: 'hero', storage: asyncStorage }),
  ];
  expectTypeOf(hooks).toBeFunction();
});

test('useChat takes the params of a chat, with tools, of both clients', () => {
  const hook = () => useChat(client, { model: 'm', temperature: 0.5, id: 'main' });
  type Chat = ReturnType<typeof hook>;
  expectTypeOf<Chat['status']>().toEqualTypeOf<'idle' | 'streaming' | 'error'>();
  expectTypeOf<Chat['usage']>().toEqualTypeOf<ChatUsage | undefined>();
  expectTypeOf<NonNullable<Chat['error']>['outcome']>().toEqualTypeOf<
    'rejected' | 'not-sent' | 'unknown' | undefined
  >();
  expectTypeOf<Chat['messages'][number]['incomplete']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<Chat['send']>().toBeCallableWith('Hello');
  expectTypeOf<Chat['send']>().toBeCallableWith([{ type: 'text', text: 'Hello' }]);
  const parameters = z.object({ city: z.string() });
  const withTools = () =>
    useChat(gateway, {
      model: 'm',
      tools: [{ name: 'weather', parameters, execute: ({ city }) => city.length }],
    });
  expectTypeOf(withTools).toBeFunction();
  // @ts-expect-error -- the model is missing
  expectTypeOf(() => useChat(gateway, {})).toBeFunction();
});

test('useBudget takes a URL, and clients of both kinds', () => {
  const hook = () => useBudget({ url: '/api/gateway/budget', client });
  type Budget = ReturnType<typeof hook>;
  expectTypeOf<Budget['budget']>().toEqualTypeOf<UserBudget | undefined>();
  expectTypeOf<NonNullable<Budget['budget']>['remainingUsd']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<NonNullable<Budget['error']>['status']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Budget['isLoading']>().toEqualTypeOf<boolean>();
  expectTypeOf<Budget['refresh']>().toEqualTypeOf<() => Promise<void>>();
  expectTypeOf(() => useBudget({ url: '/budget', client: gateway, fetch })).toBeFunction();
  // @ts-expect-error -- the URL is missing
  expectTypeOf(() => useBudget({ client: gateway })).toBeFunction();
});

test('useModels and useSpend', () => {
  const hook = () => useModels(gateway, { type: 'image' });
  expectTypeOf<ReturnType<typeof hook>['models']>().toEqualTypeOf<readonly Model[]>();
  expectTypeOf<ReturnType<typeof hook>['isLoading']>().toEqualTypeOf<boolean>();
  expectTypeOf<ReturnType<typeof hook>['refresh']>().toEqualTypeOf<() => Promise<void>>();
  const spend = () => useSpend(client);
  expectTypeOf<ReturnType<typeof spend>['totalUsd']>().toEqualTypeOf<number>();
  expectTypeOf<ReturnType<typeof spend>['byModel']>().toEqualTypeOf<
    ReadonlyMap<string, { readonly usd: number; readonly requests: number }>
  >();
});
