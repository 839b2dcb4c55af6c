import { describe, expectTypeOf, test } from 'vitest';

import { TaskFailedError, TaskWaitTimeoutError } from '../../src/index.ts';
import type {
  Generation,
  ImageFromReferencesParams,
  ImageParams,
  ImageRoute,
  ImageTaskRecord,
  Polygate,
  Receipt,
  RequestPromise,
  ResponseMeta,
  SubmittedTask,
  SucceededGeneration,
  Task,
  TaskError,
  TaskHandle,
  TaskKind,
  TaskUpdate,
  WaitOptions,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const task: SubmittedTask<'image'>;
declare const generation: Generation<'image'>;
declare const error: unknown;
const image: ImageParams = { model: 'm', prompt: 'A harbor' };

describe('submit() and generate()', () => {
  test('resolve to a task and to a generation of images', () => {
    expectTypeOf(gateway.images.submit(image)).toEqualTypeOf<
      RequestPromise<SubmittedTask<'image'>>
    >();
    expectTypeOf(gateway.images.generate(image)).toEqualTypeOf<
      RequestPromise<SucceededGeneration<'image'>>
    >();
  });

  test('accept only the two documented routes, in the options', () => {
    expectTypeOf<ImageRoute['route']>().toEqualTypeOf<'tasks' | 'generations' | undefined>();
    void gateway.images.generate(image, { route: 'generations' });
    // @ts-expect-error there is no such route
    void gateway.images.submit(image, { route: 'edits' });
    // @ts-expect-error there is no such route
    void gateway.images.generate(image, { route: 'videos' });
  });

  test('require a model', () => {
    expectTypeOf<{ prompt: string }>().not.toExtend<ImageParams>();
    // @ts-expect-error the model is missing
    void gateway.images.submit({ prompt: 'A harbor' });
    // @ts-expect-error the model is missing
    void gateway.images.generate({ prompt: 'A harbor' });
    // @ts-expect-error the number of images is a number
    void gateway.images.submit({ ...image, n: '2' });
    // @ts-expect-error the field is named resolution
    void gateway.images.submit({ ...image, resolutoin: '1k' });
    // @ts-expect-error params are an object
    void gateway.images.submit('A harbor');
  });

  test('require a prompt unless an image is given', () => {
    // @ts-expect-error the prompt is missing
    void gateway.images.submit({ model: 'm' });
    // @ts-expect-error the prompt is missing
    void gateway.images.generate({ model: 'm', size: '1024x1024' });
    void gateway.images.submit({ model: 'm', image: 'https://a.example' });
    void gateway.images.generate({ model: 'm', reference_image_urls: ['https://a.example'] });
    expectTypeOf<{ model: string; image: string }>().not.toExtend<ImageParams>();
    // @ts-expect-error the field is named resolution
    void gateway.images.submit({ model: 'm', image: 'https://a.example', resolutoin: '1k' });
  });

  test('accept arrays that are `as const`', () => {
    const images = ['https://a.example/1.png', 'https://a.example/2.png'] as const;
    const params = { model: 'm', reference_image_urls: images };
    expectTypeOf(params).toExtend<ImageFromReferencesParams>();
    expectTypeOf({ ...params, prompt: 'p' }).toExtend<ImageParams>();
  });

  test('accept undocumented values of open unions', () => {
    expectTypeOf({ ...image, task_type: 'text2image' }).toExtend<ImageParams>();
    expectTypeOf({ ...image, task_type: 'sketch2image' }).toExtend<ImageParams>();
  });

  test('generate() accepts per-call options and wait options together', () => {
    void gateway.images.generate(image, {
      idempotencyKey: 'k',
      timeout: 1,
      pollInterval: 2_000,
      maxPollInterval: 5_000,
      waitTimeout: 1,
      signal: AbortSignal.timeout(1),
      onSubmit: (submitted) => {
        expectTypeOf(submitted).toEqualTypeOf<SubmittedTask<'image'>>();
      },
      onUpdate: (update) => {
        expectTypeOf(update).toEqualTypeOf<TaskUpdate<'image'>>();
      },
    });
    // @ts-expect-error submit() does not accept wait options
    void gateway.images.submit(image, { pollInterval: 2_000 });
  });
});

describe('a task', () => {
  test('has the details of its submit response', () => {
    expectTypeOf(task.id).toEqualTypeOf<string>();
    expectTypeOf(task.kind).toEqualTypeOf<'image'>();
    expectTypeOf(task.idempotencyKey).toEqualTypeOf<string>();
    expectTypeOf(task.meta).toEqualTypeOf<ResponseMeta>();
    expectTypeOf(task.replayed).toEqualTypeOf<boolean>();
    expectTypeOf(task.latest).toEqualTypeOf<Generation<'image'>>();
    expectTypeOf(task.toJSON()).toEqualTypeOf<Receipt<'image'>>();
    expectTypeOf(task).toExtend<TaskHandle>();
    expectTypeOf(task).not.toHaveProperty('then');
  });

  test('waits for a generation and yields updates', () => {
    expectTypeOf(task.wait()).resolves.toEqualTypeOf<SucceededGeneration<'image'>>();
    expectTypeOf(task.retrieve()).resolves.toEqualTypeOf<Generation<'image'>>();
    expectTypeOf(task.updates()).toExtend<AsyncIterable<TaskUpdate<'image'>>>();
    expectTypeOf<TaskUpdate<'image'>>().toExtend<Generation<'image'>>();
    expectTypeOf<TaskUpdate['pollError']>().toEqualTypeOf<Error | undefined>();
    expectTypeOf<keyof WaitOptions>().toEqualTypeOf<
      | 'pollInterval'
      | 'maxPollInterval'
      | 'waitTimeout'
      | 'signal'
      | 'headers'
      | 'requestId'
      | 'onUpdate'
    >();
  });

  test('that was resumed may have only its id', () => {
    const known = gateway.images.task('task_1');
    expectTypeOf(known).toEqualTypeOf<Task<'image'>>();
    expectTypeOf(known.idempotencyKey).toEqualTypeOf<string | undefined>();
    expectTypeOf(known.meta).toEqualTypeOf<ResponseMeta | undefined>();
    expectTypeOf(known.latest).toEqualTypeOf<Generation<'image'> | undefined>();
    expectTypeOf(gateway.images.wait(known)).resolves.toEqualTypeOf<SucceededGeneration<'image'>>();
    expectTypeOf(gateway.images.wait('task_1')).resolves.toEqualTypeOf<
      SucceededGeneration<'image'>
    >();
    expectTypeOf(gateway.images.retrieve('task_1')).resolves.toEqualTypeOf<Generation<'image'>>();
  });

  test('has the kind of its receipt', () => {
    expectTypeOf(gateway.resume(task.toJSON())).toEqualTypeOf<Task<'image'>>();
    expectTypeOf(gateway.images.task(task.toJSON())).toEqualTypeOf<Task<'image'>>();
    const video: Receipt<'video'> = { v: 1, kind: 'video', id: 'task_1' };
    // @ts-expect-error this is the receipt of a video
    gateway.images.task(video);
  });

  test('is resumed from a receipt, or from an unchecked value', () => {
    expectTypeOf(gateway.resume(JSON.parse('{}'))).toEqualTypeOf<Task>();
    const unchecked: unknown = JSON.parse('{}');
    expectTypeOf(gateway.resume(unchecked)).toEqualTypeOf<Task>();
    // @ts-expect-error an id is not a receipt; use gateway.images.task(id)
    gateway.resume('task_1');
    // @ts-expect-error a receipt has an id
    gateway.resume({ v: 1, kind: 'image' });
    // @ts-expect-error toJSON() returns the receipt
    gateway.resume(JSON.stringify(task));
  });
});

describe('a generation', () => {
  test('has one shape and the documented record', () => {
    expectTypeOf(generation.status).toEqualTypeOf<'queued' | 'running' | 'succeeded' | 'failed'>();
    expectTypeOf(generation.kind).toEqualTypeOf<'image'>();
    expectTypeOf(generation.urls).toExtend<string[]>();
    expectTypeOf(generation.progress).toEqualTypeOf<number | undefined>();
    expectTypeOf(generation.createdAt).toEqualTypeOf<Date | undefined>();
    expectTypeOf(generation.error?.message).toEqualTypeOf<string | undefined>();
    expectTypeOf(generation.raw).toEqualTypeOf<ImageTaskRecord>();
    expectTypeOf(generation.raw.image_url).toEqualTypeOf<string | null>();
    expectTypeOf<TaskKind>().toEqualTypeOf<'image' | 'video' | 'audio'>();
  });

  test('has a URL if it succeeded, and an error if it failed', () => {
    const check = (update: TaskUpdate<'image'>) => {
      for (const state of [generation, update]) {
        if (state.status === 'succeeded') {
          expectTypeOf(state.urls).toEqualTypeOf<[string, ...string[]]>();
          expectTypeOf(state.urls[0]).toEqualTypeOf<string>();
          expectTypeOf(state.error).toEqualTypeOf<undefined>();
          expectTypeOf(state).toExtend<SucceededGeneration<'image'>>();
        } else if (state.status === 'failed') {
          expectTypeOf(state.error).toEqualTypeOf<TaskError>();
        } else {
          expectTypeOf(state.urls[0]).toEqualTypeOf<string | undefined>();
          expectTypeOf(state.error).toEqualTypeOf<undefined>();
        }
      }
    };
    expectTypeOf(check).toBeFunction();
    expectTypeOf<SucceededGeneration<'image'>>().toExtend<Generation<'image'>>();
    expectTypeOf<Generation<'image'>>().toExtend<Generation>();
  });

  test('and its task are on the errors of a wait', () => {
    if (TaskFailedError.is(error)) {
      expectTypeOf(error.task).toExtend<TaskHandle>();
      expectTypeOf(error.generation).toExtend<Generation>();
    }
    if (error instanceof TaskWaitTimeoutError) {
      expectTypeOf(error.task.toJSON()).toExtend<Receipt>();
    }
  });
});
