import { describe, expectTypeOf, test } from 'vitest';

import {
  MaterialFailedError,
  MaterialWaitTimeoutError,
  parseMaterialCallback,
} from '../../src/index.ts';
import type {
  AssetUri,
  AvailableMaterial,
  Material,
  MaterialCreateParams,
  MaterialListQuery,
  MaterialPage,
  MaterialStatus,
  MaterialUpdate,
  Polygate,
  RealPerson,
  RequestPromise,
  Verification,
  WaitOptions,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const page: MaterialPage;
declare const error: unknown;
const url = 'https://files.example/a.png';
const person = { consent_confirmed: true, callback_url: 'https://app.example/back' } as const;

describe('create() and register()', () => {
  test('resolve to a material and to an available material', () => {
    expectTypeOf(gateway.materials.create({ url, type: 'image' })).toEqualTypeOf<
      RequestPromise<Material>
    >();
    expectTypeOf(gateway.materials.register({ url, type: 'image' })).toEqualTypeOf<
      RequestPromise<AvailableMaterial>
    >();
    expectTypeOf<AvailableMaterial['uri']>().toEqualTypeOf<AssetUri>();
    expectTypeOf<Material['uri']>().toEqualTypeOf<AssetUri | null>();
    expectTypeOf<AvailableMaterial['status']>().toEqualTypeOf<'available'>();
  });

  test('require a url and one of three types', () => {
    expectTypeOf<{ url: string; type: 'image' }>().toExtend<MaterialCreateParams>();
    // @ts-expect-error the url is missing
    void gateway.materials.create({ type: 'image' });
    // @ts-expect-error the type is missing
    void gateway.materials.create({ url });
    // @ts-expect-error there is no such type
    void gateway.materials.register({ url, type: 'text' });
  });

  test('accept a real person for images and videos, with consent that is literally true', () => {
    expectTypeOf<RealPerson['consent_confirmed']>().toEqualTypeOf<true>();
    void gateway.materials.create({ url, type: 'video', real_person: person });
    // @ts-expect-error real-person audio is not supported
    void gateway.materials.create({ url, type: 'audio', real_person: person });
    const unsure = { ...person, consent_confirmed: false };
    // @ts-expect-error consent must be true
    void gateway.materials.create({ url, type: 'image', real_person: unsure });
    const nowhere = { consent_confirmed: true } as const;
    // @ts-expect-error the callback is missing
    void gateway.materials.register({ url, type: 'image', real_person: nowhere });
  });

  test('register() accepts per-call options and wait options together', () => {
    void gateway.materials.register(
      { url, type: 'image' },
      {
        idempotencyKey: 'k',
        waitTimeout: 1,
        signal: AbortSignal.timeout(1),
        onVerification: (verification) => {
          expectTypeOf(verification).toEqualTypeOf<Verification>();
          expectTypeOf(verification.expiresAt).toEqualTypeOf<string | undefined>();
        },
        onUpdate: (update) => {
          expectTypeOf(update).toEqualTypeOf<MaterialUpdate>();
        },
      },
    );
    // @ts-expect-error create() does not accept wait options
    void gateway.materials.create({ url, type: 'image' }, { waitTimeout: 1 });
  });
});

describe('waiting', () => {
  test('resolves to an available material, or yields updates', () => {
    expectTypeOf(gateway.materials.wait('mat_1')).resolves.toEqualTypeOf<AvailableMaterial>();
    expectTypeOf(gateway.materials.updates('mat_1')).toExtend<AsyncIterable<MaterialUpdate>>();
    expectTypeOf<Parameters<Polygate['materials']['wait']>[1]>().toEqualTypeOf<
      WaitOptions<MaterialUpdate> | undefined
    >();
    expectTypeOf<MaterialUpdate['pollError']>().toEqualTypeOf<Error | undefined>();
    // @ts-expect-error updates are yielded, not passed to a callback
    gateway.materials.updates('mat_1', { onUpdate: () => undefined });
  });

  test('fails with an error that carries the material', () => {
    if (MaterialFailedError.is(error))
      expectTypeOf(error.material).toExtend<Material | undefined>();
    if (error instanceof MaterialWaitTimeoutError) {
      expectTypeOf(error.material).toExtend<Material | undefined>();
    }
  });
});

describe('list()', () => {
  test('resolves to a page with nextPage()', () => {
    expectTypeOf(gateway.materials.list()).toEqualTypeOf<RequestPromise<MaterialPage>>();
    expectTypeOf(page.data).toEqualTypeOf<Material[]>();
    expectTypeOf(page.nextPage()).resolves.toEqualTypeOf<MaterialPage | null>();
    expectTypeOf(page).toExtend<AsyncIterable<Material>>();
    expectTypeOf(page).not.toExtend<Iterable<Material>>();
  });

  test('accepts the documented query', () => {
    expectTypeOf<keyof MaterialListQuery>().toEqualTypeOf<'type' | 'status' | 'limit' | 'after'>();
    void gateway.materials.list({ type: 'image', status: 'available', limit: 1, after: 'c' });
    // @ts-expect-error a limit is a number
    void gateway.materials.list({ limit: '10' });
    // @ts-expect-error `after` is a cursor
    void gateway.materials.list({ page: 2 });
  });
});

test('retrieve() and delete() resolve to a material with an open status', () => {
  expectTypeOf(gateway.materials.retrieve('mat_1')).toEqualTypeOf<RequestPromise<Material>>();
  expectTypeOf(gateway.materials.delete('mat_1')).toEqualTypeOf<RequestPromise<Material>>();
  expectTypeOf<'delete_pending' | 'resting'>().toExtend<MaterialStatus>();
  expectTypeOf(parseMaterialCallback('x')).toEqualTypeOf<{
    materialId: string;
    materialStatus: MaterialStatus;
  }>();
});
