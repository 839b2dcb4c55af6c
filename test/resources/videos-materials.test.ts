import { describe, expect, test } from 'vitest';

import { BadRequestError, ConfigurationError } from '../../src/index.ts';
import type { VideoParams } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';

const video = { model: 'tide-video', prompt: 'A harbor at dawn' };
const files = 'https://files.example';

describe('an asset:// URI', () => {
  const uri = 'asset://quay-1';
  const inText: [string, VideoParams][] = [
    ['prompt', { ...video, prompt: uri }],
    ['prompt, inside a sentence', { ...video, prompt: `Film ${uri} at dawn` }],
    ['prompt, in capitals', { ...video, prompt: 'ASSET://quay-1' }],
    [
      'content[1].text',
      {
        ...video,
        content: [
          { type: 'text', text: 'x' },
          { type: 'text', text: uri },
        ],
      },
    ],
    ['extra_body.negative_prompt', { ...video, extra_body: { negative_prompt: `not ${uri}` } }],
  ];

  test.each(inText)(
    'is rejected in plain text before sending a request: %s',
    async (field, params) => {
      const { gateway, mock } = onMock();
      for (const call of ['submit', 'generate'] as const) {
        const error = await rejection(
          ConfigurationError,
          Promise.resolve<unknown>(gateway.videos[call](params)),
        );
        expect(error.message).toContain(field.split(',')[0]);
        expect(error.message).not.toContain('quay-1');
      }
      expect(mock.requests).toEqual([]);
    },
  );

  test.each([
    ['size', { ...video, size: uri }],
    ['aspect_ratio', { ...video, aspect_ratio: uri }],
    ['extra_body.operation', { ...video, extra_body: { operation: uri } }],
  ])(
    'is rejected by the service in other text fields, without a charge: %s',
    async (field, params) => {
      const { gateway, mock } = onMock();
      const submit = Promise.resolve(gateway.videos.submit(params));
      const error = await rejection(BadRequestError, submit);
      expect(error).toMatchObject({ code: 'invalid_request_parameter', outcome: 'rejected' });
      expect(error.message).toContain(field);
      expect(mock.invoice).toEqual([]);
    },
  );

  test.each(['image', 'video', 'audio'] as const)(
    'of an available %s is accepted as the url of a structured item',
    async (type) => {
      const { gateway, mock } = onMock();
      const source = { url: `${files}/a.bin`, type };
      const { uri: asset } = await mock.clock.settle(gateway.materials.register(source));
      const items = {
        image: { type: 'image_url', image_url: { url: asset }, role: 'reference_image' },
        video: { type: 'video_url', video_url: { url: asset } },
        audio: { type: 'audio_url', audio_url: { url: asset } },
      } as const;
      const text = { type: 'text' as const, text: 'Dawn' };
      const params = { ...video, content: [text, items[type]] };
      await gateway.videos.submit(params);
      expect(mock.requests.at(-1)?.body).toEqual(params);
      expect(mock.requests.at(-1)?.status).toBe(202);
    },
  );

  test('outside the library of the caller is rejected by the service: material_not_managed', async () => {
    const { gateway, mock } = onMock();
    const content = [{ type: 'image_url' as const, image_url: { url: uri } }];
    const submit = gateway.videos.submit({ ...video, content });
    const error = await rejection(BadRequestError, Promise.resolve(submit));
    expect(error).toMatchObject({ code: 'material_not_managed', outcome: 'rejected' });
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toEqual([]);
  });

  test('of an expired or deleted material is rejected: material_not_available', async () => {
    const { gateway, mock } = onMock();
    const source = { url: `${files}/a.png`, type: 'image' as const };
    const expired = await mock.clock.settle(gateway.materials.register(source));
    await mock.clock.advance(2 * 60 * 60 * 1000);
    const deleted = await mock.clock.settle(gateway.materials.register(source));
    await gateway.materials.delete(deleted.id);
    for (const { uri: url } of [expired, deleted]) {
      const content = [{ type: 'image_url' as const, image_url: { url } }];
      const submit = gateway.videos.submit({ ...video, content });
      const error = await rejection(BadRequestError, Promise.resolve(submit));
      expect(error.code).toBe('material_not_available');
    }
    expect(mock.invoice).toEqual([]);
  });

  test('is rejected for a model without material support: material_channel_unavailable', async () => {
    const { gateway } = onMock();
    const image = { model: 'prism-image', prompt: 'A harbor', image: uri };
    const error = await rejection(BadRequestError, Promise.resolve(gateway.images.submit(image)));
    expect(error.code).toBe('material_channel_unavailable');
  });

  test('is optional: http and https media are accepted as well', async () => {
    const { gateway, mock } = onMock();
    const params = { ...video, images: ['http://files.example/1.png', `${files}/2.png`] };
    await gateway.videos.submit(params);
    expect(mock.requests[0]).toMatchObject({ body: params, status: 202 });
  });
});
