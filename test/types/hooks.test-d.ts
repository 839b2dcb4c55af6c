import type { AfterResponseState, BeforeRequestState } from 'ky';
import type * as ky from 'ky';
import { describe, expectTypeOf, test } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { Polygate } from '../../src/index.ts';
import type {
  AfterResponseHook,
  BeforeRequestHook,
  ChatClientOptions,
  HookError,
  Hooks,
  PolygateOptions,
  ResponseMeta,
} from '../../src/index.ts';

describe('hooks', () => {
  test('receive the states that ky passes', () => {
    const hooks: Hooks = {
      beforeRequest: [
        (state) => {
          expectTypeOf(state).toEqualTypeOf<BeforeRequestState>();
          expectTypeOf(state.request).toExtend<Request>();
          expectTypeOf(state.retryCount).toEqualTypeOf<0>();
        },
      ],
      afterResponse: [
        async (state) => {
          expectTypeOf(state).toEqualTypeOf<AfterResponseState>();
          expectTypeOf(state.response).toExtend<Response>();
          expectTypeOf(state.retryCount).toEqualTypeOf<number>();
        },
      ],
    };
    expectTypeOf(hooks).toExtend<NonNullable<PolygateOptions['hooks']>>();
  });

  test('may return a request or a response, synchronously or later', () => {
    expectTypeOf(
      (state: BeforeRequestState) => new Request(state.request),
    ).toExtend<BeforeRequestHook>();
    expectTypeOf(async () => new Response()).toExtend<BeforeRequestHook>();
    expectTypeOf(() => 'response').not.toExtend<BeforeRequestHook>();
    expectTypeOf((state: AfterResponseState) => state.response).toExtend<AfterResponseHook>();
    expectTypeOf(async () => undefined).toExtend<AfterResponseHook>();
    expectTypeOf((state: AfterResponseState) => state.request).not.toExtend<AfterResponseHook>();
  });

  test('may be read-only arrays, and hooks that ky accepts', () => {
    expectTypeOf<BeforeRequestHook>().toEqualTypeOf<ky.BeforeRequestHook>();
    expectTypeOf<AfterResponseHook>().toEqualTypeOf<ky.AfterResponseHook>();
    expectTypeOf<ky.Hooks['beforeRequest']>().toExtend<Hooks['beforeRequest']>();
    expectTypeOf<ky.Hooks['afterResponse']>().toExtend<Hooks['afterResponse']>();
    const idle = [() => undefined] as const;
    void new Polygate({ hooks: { beforeRequest: idle, afterResponse: idle } });
    void new Polygate({ hooks: { beforeRequest: undefined } });
    void new Polygate({ hooks: undefined });
  });

  test('of any other kind are rejected', () => {
    expectTypeOf<keyof Hooks>().toEqualTypeOf<'beforeRequest' | 'afterResponse'>();
    // @ts-expect-error the client decides about retries
    void new Polygate({ hooks: { beforeRetry: [] } });
    // @ts-expect-error the client creates its own errors
    void new Polygate({ hooks: { beforeError: [] } });
    // @ts-expect-error there is no such hook
    void new Polygate({ hooks: { beforeRequests: [] } });
    // @ts-expect-error hooks are arrays
    void new Polygate({ hooks: { beforeRequest: () => undefined } });
  });

  test('can be replaced and removed with withOptions', () => {
    const gateway = new Polygate({ hooks: {} });
    expectTypeOf(gateway.withOptions({ hooks: { afterResponse: [] } })).toEqualTypeOf<Polygate>();
    expectTypeOf(gateway.withOptions({ hooks: undefined })).toEqualTypeOf<Polygate>();
  });

  test('are no option of a ChatClient', () => {
    expectTypeOf<keyof ChatClientOptions>().toEqualTypeOf<
      Exclude<keyof PolygateOptions, 'hooks'>
    >();
    const gateway = new ChatClient();
    // @ts-expect-error a chat client has no hooks
    void new ChatClient({ hooks: {} });
    // @ts-expect-error a chat client has no hooks
    gateway.withOptions({ hooks: {} });
  });
});

test('a HookError carries the metadata of the response, if there is one', () => {
  expectTypeOf<HookError['meta']>().toEqualTypeOf<ResponseMeta | undefined>();
  expectTypeOf<HookError['cause']>().toEqualTypeOf<unknown>();
});
