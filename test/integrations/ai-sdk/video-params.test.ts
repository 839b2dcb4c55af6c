import { experimental_startVideo as startVideo } from 'ai';
import { describe, expect, test } from 'vitest';

import { bodyOf, onProvider } from './support.ts';

const path = '/v1/videos';
const waves = { prompt: 'Waves' };

describe('the params of a video', () => {
  async function start(options: Omit<Parameters<typeof startVideo>[0], 'model'>) {
    const { mock, polygate } = onProvider();
    const { warnings } = await startVideo({ model: polygate.video('tide-video'), ...options });
    return { mock, warnings, body: bodyOf(mock, path) };
  }

  test('contain every documented setting, and the provider options last', async () => {
    const { body, warnings } = await start({
      prompt: { text: 'Waves', image: 'https://files.example/a.png' },
      aspectRatio: '16:9',
      resolution: '1280x720',
      duration: 5,
      seed: 7,
      generateAudio: true,
      providerOptions: {
        polygate: { duration: 6, extra_body: { negative_prompt: 'people', seed: 8 } },
      },
    });
    expect(body).toEqual({
      model: 'tide-video',
      prompt: 'Waves',
      image: 'https://files.example/a.png',
      aspect_ratio: '16:9',
      size: '720p',
      duration: 6,
      extra_body: { seed: 8, generate_audio: true, negative_prompt: 'people' },
    });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['720x1280', '720p'],
    ['1920x1080', '1080p'],
    ['1080p', '1080p'],
  ])('name a resolution of %s %s', async (resolution, size) => {
    const { body } = await start({ ...waves, resolution: resolution as '1x1' });
    expect(body).toMatchObject({ size });
  });

  test('contain first and last frames', async () => {
    const { body } = await start({
      ...waves,
      frameImages: [
        { image: 'https://files.example/first.png', frameType: 'first_frame' },
        { image: 'https://files.example/last.png', frameType: 'last_frame' },
      ],
    });
    expect(body).toMatchObject({
      image: 'https://files.example/first.png',
      last_image: 'https://files.example/last.png',
    });
  });

  test('contain reference images and one source video', async () => {
    const { body, warnings } = await start({
      ...waves,
      inputReferences: [
        'https://files.example/a.png',
        'https://files.example/b.mp4',
        'https://files.example/c.png',
        { data: 'https://files.example/d', mediaType: 'video/webm' },
      ],
    });
    expect(body).toMatchObject({
      images: ['https://files.example/a.png', 'https://files.example/c.png'],
      video: 'https://files.example/b.mp4',
    });
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'inputReferences: more than one video' },
    ]);
  });

  test('exclude settings that the service does not have, with a warning each', async () => {
    const { warnings, body } = await start({
      ...waves,
      n: 2,
      maxVideosPerCall: 2,
      fps: 24,
      webhookUrl: 'https://app.example/hook',
    });
    expect(warnings).toEqual(
      ['n', 'fps', 'webhookUrl'].map((feature) => ({ type: 'unsupported', feature })),
    );
    expect(body).toEqual({ model: 'tide-video', prompt: 'Waves' });
  });

  test.each([
    ['image', { prompt: { text: 'Waves', image: new Uint8Array([137, 80]) } }],
    [
      'frameImages',
      { ...waves, frameImages: [{ image: 'iVBORw==', frameType: 'last_frame' as const }] },
    ],
    ['inputReferences', { ...waves, inputReferences: [new Uint8Array([137, 80])] }],
  ])(
    'contain URLs only: data in %s is rejected before anything is sent',
    async (argument, options) => {
      const { mock, polygate } = onProvider();
      const call = startVideo({ model: polygate.video('tide-video'), ...options });
      await expect(call).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument });
      expect(mock.requests).toEqual([]);
    },
  );

  test('idempotencyKey takes precedence over the key of the AI SDK', async () => {
    const providerOptions = { polygate: { idempotencyKey: 'order-17' } };
    const { mock, body } = await start({ ...waves, providerOptions });
    expect(mock.invoice).toMatchObject([{ idempotencyKey: 'order-17' }]);
    expect(body).not.toHaveProperty('idempotencyKey');
  });
});
