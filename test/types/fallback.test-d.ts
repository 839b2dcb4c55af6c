import { describe, expectTypeOf, test } from 'vitest';

import { PolygateError } from '../../src/index.ts';
import type {
  ModelAttempt,
  Outcome,
  Polygate,
  PolygateOptions,
  Receipt,
  RequestOptions,
  SubmittedTask,
  Task,
  TelemetryEvent,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const task: SubmittedTask;
declare const error: unknown;
const messages = [{ role: 'user' as const, content: 'Hello' }];
const chat = { model: 'm', messages };
const image = { model: 'm', prompt: 'A harbor' };

describe('fallback', () => {
  test('is an option of every call that names a model', () => {
    const options = { fallback: ['n', 'o'] as const, fallbackOn: () => true };
    expectTypeOf(options).toExtend<RequestOptions>();
    void gateway.chat.completions.create(chat, options);
    void gateway.chat.completions.create({ ...chat, stream: true }, options);
    void gateway.chat.completions.stream(chat, options);
    void gateway.chat.completions.run({ ...chat, tools: [] }, options);
    void gateway.images.submit(image, options);
    void gateway.images.generate(image, options);
    void gateway.images.submission(image, options);
    void gateway.audio.music.submit(image, options);
    // @ts-expect-error the models of a submission are fixed
    void gateway.images.submission(image).send(options);
    // @ts-expect-error fallback is a list
    void gateway.chat.completions.create(chat, { fallback: 'n' });
  });

  test('has a condition and a cooldown', () => {
    expectTypeOf<RequestOptions['fallback']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<RequestOptions['fallbackOn']>().toEqualTypeOf<
      ((error: PolygateError, model: string) => boolean) | undefined
    >();
    expectTypeOf<PolygateOptions['fallbackCooldown']>().toEqualTypeOf<number | undefined>();
    // @ts-expect-error a promise would always permit the next model
    void gateway.images.submit(image, { fallback: ['n'], fallbackOn: async () => false });
  });
});

test('errors have what each model has responded', () => {
  if (!PolygateError.is(error)) return;
  expectTypeOf(error.attempts).toEqualTypeOf<readonly ModelAttempt[] | undefined>();
  expectTypeOf<ModelAttempt['model']>().toEqualTypeOf<string>();
  expectTypeOf<ModelAttempt['status']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<ModelAttempt['code']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<ModelAttempt['message']>().toEqualTypeOf<string>();
  expectTypeOf<ModelAttempt['outcome']>().toEqualTypeOf<Outcome>();
});

test('tasks and receipts name their model', () => {
  expectTypeOf(task.model).toEqualTypeOf<string>();
  expectTypeOf<Task['model']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Receipt['model']>().toEqualTypeOf<string | undefined>();
});

test('telemetry reports the fallback', () => {
  expectTypeOf<Extract<TelemetryEvent, { type: 'fallback' }>>().toEqualTypeOf<{
    readonly type: 'fallback';
    readonly from: string;
    readonly to: string;
    readonly status: number | undefined;
  }>();
});
