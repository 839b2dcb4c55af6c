import { describe, expectTypeOf, test } from 'vitest';

import type {
  AssetUri,
  AvailableMaterial,
  Generation,
  Polygate,
  Receipt,
  RequestPromise,
  SubmittedTask,
  SucceededGeneration,
  Task,
  TaskUpdate,
  VideoContentItem,
  VideoContentParams,
  VideoExtraBody,
  VideoParams,
  VideoRoute,
  VideoTaskRecord,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const material: AvailableMaterial;
const video: VideoParams = { model: 'm', prompt: 'A harbor' };

describe('submit() and generate()', () => {
  test('resolve to a task and to a generation of videos', () => {
    expectTypeOf(gateway.videos.submit(video)).toEqualTypeOf<
      RequestPromise<SubmittedTask<'video'>>
    >();
    expectTypeOf(gateway.videos.generate(video)).toEqualTypeOf<
      RequestPromise<SucceededGeneration<'video'>>
    >();
    expectTypeOf<Generation<'video'>['raw']>().toEqualTypeOf<VideoTaskRecord>();
    expectTypeOf<VideoTaskRecord['video_url']>().toEqualTypeOf<string | null>();
  });

  test('accept only the three documented routes, in the options', () => {
    expectTypeOf<VideoRoute['route']>().toEqualTypeOf<
      'videos' | 'video/generations' | 'videos/generations' | undefined
    >();
    void gateway.videos.generate(video, { route: 'video/generations' });
    // @ts-expect-error there is no such route
    void gateway.videos.submit(video, { route: 'video' });
    // @ts-expect-error the route is an option, not a param
    void gateway.videos.submit({ ...video, route: 'videos' });
  });

  test('require a model and fields of the documented types', () => {
    expectTypeOf<VideoParams['duration']>().toEqualTypeOf<number | undefined>();
    // @ts-expect-error the model is missing
    void gateway.videos.submit({ prompt: 'A harbor' });
    // @ts-expect-error a duration is a number
    void gateway.videos.submit({ ...video, duration: '5' });
    // @ts-expect-error images is an array
    void gateway.videos.submit({ ...video, images: 'https://files.example/a.png' });
    // @ts-expect-error generate_audio is a boolean
    void gateway.videos.submit({ ...video, extra_body: { generate_audio: 'yes' } });
    // @ts-expect-error neither a prompt nor content is given
    void gateway.videos.submit({ model: 'm', duration: 5 });
    // @ts-expect-error submit() does not accept wait options
    void gateway.videos.submit(video, { waitTimeout: 1 });
  });

  test('pass video tasks and updates to their callbacks', () => {
    void gateway.videos.generate(video, {
      route: 'videos/generations',
      idempotencyKey: 'k',
      waitTimeout: 1,
      onSubmit: (task) => {
        expectTypeOf(task).toEqualTypeOf<SubmittedTask<'video'>>();
      },
      onUpdate: (update) => {
        expectTypeOf(update).toEqualTypeOf<TaskUpdate<'video'>>();
      },
    });
  });
});

describe('structured content', () => {
  test('accepts the URI of an available material in media items', () => {
    const item = {
      type: 'image_url' as const,
      image_url: { url: material.uri },
      role: 'reference_image',
    };
    expectTypeOf(item).toExtend<VideoContentItem>();
    expectTypeOf(material.uri).toEqualTypeOf<AssetUri>();
    void gateway.videos.submit({ model: 'm', content: [{ type: 'text', text: 'Dawn' }, item] });
  });

  test('accepts arrays that are `as const`', () => {
    const content = [{ type: 'text', text: 'A harbor' }] as const;
    expectTypeOf({ model: 'm', content }).toExtend<VideoContentParams>();
    const images = ['https://a.example/1.png'] as const;
    expectTypeOf({ model: 'm', prompt: 'p', images }).toExtend<VideoParams>();
  });

  test('accepts other roles, requires a known type, and rejects a misspelled field', () => {
    expectTypeOf({ type: 'camera', path: [1, 2] } as const).not.toExtend<VideoContentItem>();
    // @ts-expect-error the field is named text
    void gateway.videos.submit({ model: 'm', content: [{ type: 'text', txt: 'Dawn' }] });
    const roles = {
      type: 'video_url',
      video_url: { url: 'https://a.example' },
      role: 'x',
    } as const;
    expectTypeOf(roles).toExtend<VideoContentItem>();
    expectTypeOf<{ text: string }>().not.toExtend<VideoContentItem>();
    // @ts-expect-error content is an array of items
    void gateway.videos.submit({ model: 'm', content: 'Dawn' });
  });

  test('accepts model-specific options in extra_body', () => {
    expectTypeOf<{ operation: 'colourise'; fps: 24 }>().toExtend<VideoExtraBody>();
    void gateway.videos.submit({ ...video, extra_body: { operation: 'colourise', fps: 24 } });
  });
});

test('resumed video tasks have kind video', () => {
  expectTypeOf(gateway.videos.task('task_1')).toEqualTypeOf<Task<'video'>>();
  expectTypeOf(gateway.videos.wait('task_1')).resolves.toEqualTypeOf<
    SucceededGeneration<'video'>
  >();
  expectTypeOf(gateway.videos.retrieve('task_1')).resolves.toEqualTypeOf<Generation<'video'>>();
  const receipt: Receipt<'audio'> = { v: 1, kind: 'audio', id: 'task_1' };
  // @ts-expect-error this is the receipt of an audio task
  gateway.videos.task(receipt);
  expectTypeOf(gateway.resume(receipt)).toEqualTypeOf<Task<'audio'>>();
});
