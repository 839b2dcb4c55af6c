import { expectTypeOf, test } from 'vitest';

import { blockers, estimate } from '../../src/index.ts';
import type {
  Account,
  AnthropicModelList,
  GeminiModelList,
  KeyBalance,
  Model,
  ModelList,
  ModelListOptions,
  Polygate,
  Readiness,
  ReadinessCheck,
  RequestPromise,
  ServiceStatus,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const model: Model;
declare const readiness: Readiness;
declare const options: ModelListOptions;

test('list() has the type of its style', () => {
  expectTypeOf(gateway.models.list()).toEqualTypeOf<RequestPromise<ModelList>>();
  expectTypeOf(gateway.models.list({})).toEqualTypeOf<RequestPromise<ModelList>>();
  expectTypeOf(gateway.models.list({ style: 'anthropic' })).toEqualTypeOf<
    RequestPromise<AnthropicModelList>
  >();
  expectTypeOf(gateway.models.list({ style: 'gemini' }, { requestId: 'r' })).toEqualTypeOf<
    RequestPromise<GeminiModelList>
  >();
  expectTypeOf(gateway.models.list(options)).toEqualTypeOf<
    RequestPromise<ModelList | AnthropicModelList | GeminiModelList>
  >();
  // @ts-expect-error there is no such style
  void gateway.models.list({ style: 'other' });
});

test('a list of models can be looped over, those of other styles are plain', () => {
  expectTypeOf<ModelList>().toExtend<Iterable<Model>>();
  expectTypeOf<AnthropicModelList>().not.toExtend<Iterable<unknown>>();
  expectTypeOf<GeminiModelList>().not.toExtend<Iterable<unknown>>();
});

test('a model has its prices, and a type that may grow', () => {
  expectTypeOf(gateway.models.retrieve('a/b')).toEqualTypeOf<RequestPromise<Model>>();
  // @ts-expect-error an id is text
  void gateway.models.retrieve(7);
  expectTypeOf<'chat' | 'embedding'>().toExtend<Model['type']>();
});

test('estimates take the prices of a model, and may know none', () => {
  expectTypeOf(estimate.image(model.pricing)).toEqualTypeOf<number | undefined>();
  expectTypeOf(estimate.speech(undefined, 'Ahoy')).toEqualTypeOf<number | undefined>();
  expectTypeOf(estimate.voiceClone({ previewText: 'Ahoy' })).toEqualTypeOf<number>();
  expectTypeOf(estimate.voiceDesign({ previewText: 'Ahoy', voices: 2 })).toEqualTypeOf<number>();
  expectTypeOf(estimate.video(model.pricing, { seconds: 5 })).toEqualTypeOf<number | undefined>();
  // @ts-expect-error a video has a length
  estimate.video(model.pricing, {});
  // @ts-expect-error a voice has a preview
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

test('public calls take the documented words, and others', () => {
  expectTypeOf(gateway.public.status({ locale: 'ja-JP' })).toEqualTypeOf<
    RequestPromise<ServiceStatus>
  >();
  void gateway.public.pricing({ type: 'video' });
  void gateway.public.error('concurrency_limit_exceeded');
  void gateway.public.error('a_code_of_tomorrow');
  // @ts-expect-error a code is text
  void gateway.public.error(404);
});
