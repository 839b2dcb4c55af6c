import { describe, expect, test } from 'vitest';

import { videoBody } from '../../../src/wire/schemas/bodies.ts';
import { videoParamsProblem } from '../../../src/wire/types/media/videos.ts';

const asset = 'asset://material/canary';
const rule = 'must not contain an asset:// URI; use it as the url of a content item instead';

describe('videoParamsProblem', () => {
  test.each([
    ['a prompt alone', { model: 'm', prompt: 'A harbor at dawn' }],
    ['no prompt', { model: 'm' }],
    ['the word asset in a prompt', { model: 'm', prompt: 'An asset: a boat // at sea' }],
    ['a URL in a prompt', { model: 'm', prompt: 'In the style of https://host.example/a.png' }],
    [
      'asset URIs in media fields',
      {
        model: 'm',
        image: asset,
        images: [asset],
        content: [
          { type: 'text', text: 'A harbor' },
          { type: 'image_url', image_url: { url: asset }, role: 'reference_image' },
          { type: 'video_url', video_url: { url: asset } },
          { type: 'audio_url', audio_url: { url: asset } },
        ],
      },
    ],
    [
      'fields of unexpected types',
      { model: 'm', prompt: 7, extra_body: 'none', content: { text: asset } },
    ],
    ['unexpected content items', { model: 'm', content: [null, 7, asset, [asset], { text: 7 }] }],
  ])('accepts %s', (_, params) => {
    expect(videoParamsProblem(params)).toBeUndefined();
  });

  test.each([
    ['prompt', { prompt: asset }],
    ['prompt', { prompt: `A harbor with ${asset}, at dawn` }],
    ['prompt', { prompt: 'line one\nline two Asset://x' }],
    ['extra_body.negative_prompt', { extra_body: { negative_prompt: `no ${asset}` } }],
    ['content[0].text', { content: [{ type: 'text', text: asset }] }],
    [
      'content[1].text',
      {
        content: [
          { type: 'image_url', image_url: { url: asset } },
          { type: 'text', text: asset },
        ],
      },
    ],
  ])('rejects an asset URI in %s', (field, params) => {
    expect(videoParamsProblem({ model: 'm', ...params })?.join(': ')).toBe(`${field}: ${rule}`);
  });

  test('takes linear time on hostile input', () => {
    const prompt = 'asset:/'.repeat(200_000);
    const before = process.cpuUsage();
    expect(videoParamsProblem({ prompt })).toBeUndefined();
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});

describe('videoBody', () => {
  test.each([
    ['a missing model', {}],
    ['a fractional duration', { model: 'm', duration: 4.5 }],
    ['a duration as a string', { model: 'm', duration: '5' }],
    ['a single URL as images', { model: 'm', images: 'https://host.example/a.png' }],
    ['content that is not an array', { model: 'm', content: 'A harbor' }],
    [
      'a plain URL as an image item',
      { model: 'm', content: [{ type: 'image_url', image_url: asset }] },
    ],
    ['a seed as a string', { model: 'm', extra_body: { seed: '1' } }],
  ])('rejects %s', (_, body) => {
    expect(videoBody.safeParse(body).success).toBe(false);
  });

  test('keeps model-specific items and options', () => {
    const body = {
      model: 'm',
      content: [{ type: 'depth_map', depth_map: { url: asset } }],
      extra_body: { camera: 'pan' },
    };
    expect(videoBody.parse(body)).toEqual(body);
  });
});
