import { expectTypeOf, test } from 'vitest';

import { blockers, estimate } from '../../src/index.ts';
import type {
  Account,
  AnthropicModelList,
  GeminiModelList,
  KeyBalance,
  Model,
  ModelList,
  ModelListQuery,
  Polygate,
  Readiness,
  ReadinessCheck,
  RequestPromise,
  ServiceStatus,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const model: Model;
declare const readiness: Readiness;
declare const query: ModelListQuery;

test('list() is typed by its style', () => {
  expectTypeOf(gateway.models.list()).toEqualTypeOf<RequestPromise<ModelList>>();
  expectTypeOf(gateway.models.list({})).toEqualTypeOf<RequestPromise<ModelList>>();
  expectTypeOf(gateway.models.list({ style: 'anthropic' })).toEqualTypeOf<
    RequestPromise<AnthropicModelList>
  >();
  expectTypeOf(gateway.models.list({ style: 'gemini' }, { requestId: 'r' })).toEqualTypeOf<
    RequestPromise<GeminiModelList>
  >();
  expectTypeOf(gateway.models.list(query)).toEqualTypeOf<
    RequestPromise<ModelList | AnthropicModelList | GeminiModelList>
  >();
  // @ts-expect-error there is no such style
  void gateway.models.list({ style: 'other' });
  // @ts-expect-error options are the last argument
  void gateway.models.list({ requestId: 'r' });
});

test('the default model list is iterable; lists in other styles are not', () => {
  expectTypeOf<ModelList>().toExtend<Iterable<Model>>();
  expectTypeOf<AnthropicModelList>().not.toExtend<Iterable<unknown>>();
  expectTypeOf<GeminiModelList>().not.toExtend<Iterable<unknown>>();
});

test('a model has prices and an open type', () => {
  expectTypeOf(gateway.models.retrieve('a/b')).toEqualTypeOf<RequestPromise<Model>>();
  // @ts-expect-error an id is a string
  void gateway.models.retrieve(7);
  expectTypeOf<'chat' | 'embedding'>().toExtend<Model['type']>();
});

test('estimates accept the prices of a model, which may be missing', () => {
  expectTypeOf(estimate.image(model.pricing)).toEqualTypeOf<number | undefined>();
  expectTypeOf(estimate.speech(undefined, 'Ahoy')).toEqualTypeOf<number | undefined>();
  expectTypeOf(estimate.voiceClone({ previewText: 'Ahoy' })).toEqualTypeOf<number>();
  expectTypeOf(estimate.voiceDesign({ previewText: 'Ahoy', voices: 2 })).toEqualTypeOf<number>();
  expectTypeOf(estimate.video(model.pricing, { seconds: 5 })).toEqualTypeOf<number | undefined>();
  // @ts-expect-error seconds is missing
  estimate.video(model.pricing, {});
  // @ts-expect-error previewText is missing
  estimate.voiceClone({});
});

test('the account is typed as documented', () => {
  expectTypeOf(gateway.account.retrieve()).toEqualTypeOf<RequestPromise<Account>>();
  expectTypeOf(gateway.account.readiness()).toEqualTypeOf<RequestPromise<Readiness>>();
  expectTypeOf(gateway.account.balance()).toEqualTypeOf<RequestPromise<KeyBalance>>();
  expectTypeOf(blockers(readiness)).toEqualTypeOf<ReadinessCheck[]>();
  expectTypeOf<Account['balance']['shared']>().toEqualTypeOf<boolean>();
  expectTypeOf<KeyBalance['data']['token']['expired_time']>().toEqualTypeOf<number>();
});

test('public calls accept documented and other values', () => {
  expectTypeOf(gateway.public.status({ locale: 'ja-JP' })).toEqualTypeOf<
    RequestPromise<ServiceStatus>
  >();
  void gateway.public.pricing({ type: 'video' });
  void gateway.public.error('concurrency_limit_exceeded');
  void gateway.public.error('a_code_of_tomorrow');
  // @ts-expect-error a code is a string
  void gateway.public.error(404);
});
