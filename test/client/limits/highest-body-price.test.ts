/** What a body costs that sets two fields of which a service reads only one. */
import { expect, test } from 'vitest';

import { highestBodyPrice } from '../../../src/client/limits/body-price.ts';

const priceOf = (resolution: string, unitPriceUsd: number) => ({
  resolution,
  unitPriceUsd,
  enabled: true,
  upstreamCostUsd: 0,
  suggestedRetailUsd: 0,
});
const prices = { unitPriceUsd: 1, resolutionPrices: [priceOf('720p', 2), priceOf('4k', 3)] };

test.each([
  ['image', { n: 5, num_images: 1 }, 5],
  ['image', { n: 1, num_images: 5 }, 5],
  ['image', { size: '1024x1024', resolution: '4k' }, undefined],
  ['image', { size: '1024x1024' }, undefined],
  ['video', { duration: 2, size: '720p', resolution: '4k' }, 6],
  ['video', { duration: 2, size: '4k', resolution: '720p' }, 6],
  ['video', { duration: 1, extra_body: { input_video_seconds: 9 }, size: '4k' }, 27],
  ['video', { duration: 9, extra_body: { input_video_seconds: 1 }, size: '4k' }, 27],
  ['video', { resolution: '4k' }, undefined],
  // A service may ignore the field there, and charge its default duration.
  ['video', { input_video_seconds: 0.1, size: '4k' }, undefined],
  ['video', { duration: 1, input_video_seconds: 9, size: '4k' }, 27],
  ['video', { duration: 9, input_video_seconds: 1, size: '4k' }, 27],
  ['video', { extra_body: { input_video_seconds: 1 }, input_video_seconds: 9, size: '4k' }, 27],
  ['speech', { text: 'a', input: 'abc' }, 3],
  ['speech', { text: 'abc', input: 'a' }, 3],
  ['music', { text: 'abc' }, 1],
  ['audio', { text: 'a', input: 'abc' }, 3],
  ['audio', { text: '' }, 1],
  ['audio', {}, 1],
  ['voiceClone', { text: '', preview_text: 'a' }, 1.5003],
  ['voiceClone', { text: 'a', preview_text: '' }, 1.5003],
  ['voiceDesign', { text: 'a', preview_text: '' }, 3.000_03],
  ['voiceDesign', { text: '', preview_text: 'a' }, 3.000_03],
] as const)('a body for %s with %j costs %s', (price, body, expected) => {
  expect(highestBodyPrice(price, body, prices)).toBe(expected);
});

test('a body with fields of other types has no known price', () => {
  expect(highestBodyPrice('image', { resolution: 4 }, prices)).toBeUndefined();
});
