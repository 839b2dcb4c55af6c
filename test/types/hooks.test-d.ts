import type { AfterResponseHook, BeforeRequestHook } from 'ky';
import { describe, expectTypeOf, test } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { HookError, Polygate } from '../../src/index.ts';
import type {
  ChatClientOptions,
  Hooks,
  PolygateError,
  PolygateOptions,
  ResponseMeta,
} from '../../src/index.ts';

declare const error: unknown;

describe('hooks', () => {
  test('are the hooks of ky', () => {
    type Before = NonNullable<Hooks['beforeRequest']>;
    type After = NonNullable<Hooks['afterResponse']>;
    expectTypeOf<Before[number]>().toEqualTypeOf<BeforeRequestHook>();
    expectTypeOf<After[number]>().toEqualTypeOf<AfterResponseHook>();
    expectTypeOf<keyof Hooks>().toEqualTypeOf<'beforeRequest' | 'afterResponse'>();
    expectTypeOf<PolygateOptions['hooks']>().toEqualTypeOf<Hooks | undefined>();
  });

  test('know their parameters', () => {
    void new Polygate({
      hooks: {
        beforeRequest: [
          ({ request }) => request.headers.set('x-tenant', 'a'),
          async ({ request }) => new Request(request),
          () => new Response(),
        ],
        afterResponse: [
          async ({ response, retryCount }) => {
            expectTypeOf(response).toExtend<Response>();
            expectTypeOf(retryCount).toEqualTypeOf<number>();
          },
        ],
      } as const,
    });
  });

  test('of other names, and other values, are rejected', () => {
    expectTypeOf<PolygateOptions>().toHaveProperty('hooks');
    // @ts-expect-error ky's retries are off.
    void new Polygate({ hooks: { beforeRetry: [() => undefined] } });
    // @ts-expect-error ky throws no errors.
    void new Polygate({ hooks: { beforeError: [] } });
    // @ts-expect-error A hook must be in an array.
    void new Polygate({ hooks: { beforeRequest: () => undefined } });
    // @ts-expect-error A hook returns a request, a response or nothing.
    void new Polygate({ hooks: { beforeRequest: [() => 'text'] } });
  });

  test('are not accepted by ChatClient', () => {
    expectTypeOf<ChatClientOptions>().not.toHaveProperty('hooks');
    // @ts-expect-error ChatClient has no hooks.
    void new ChatClient({ hooks: {} });
    // @ts-expect-error ChatClient has no hooks.
    void new ChatClient().withOptions({ hooks: {} });
  });
});

test('HookError has the metadata of the response', () => {
  if (!HookError.is(error)) return;
  expectTypeOf(error).toExtend<PolygateError>();
  expectTypeOf(error.meta).toEqualTypeOf<ResponseMeta | undefined>();
  expectTypeOf(error.cause).toEqualTypeOf<unknown>();
});
