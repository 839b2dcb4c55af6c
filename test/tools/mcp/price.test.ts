import { Polygate } from 'polygate';
import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { priceOf, quoteOf } from '../../../src/tools/mcp/budget.ts';

const { apiKey, baseURL, fetch } = createMockGateway();
const { models } = new Polygate({ apiKey, baseURL, fetch });

test.each([
  ['image', 'prism-image', { n: 2 }, 0.04],
  ['image', 'prism-image', { resolution: '4k' }, 0.08],
  ['image', 'prism-image', { resolution: '16K' }, undefined],
  ['image', 'prism-image', { size: '1024x1024' }, undefined],
  ['video', 'tide-video', { duration: 5 }, 0.1],
  ['video', 'tide-video', {}, undefined],
  ['music', 'anthem-music', {}, 0.03],
  ['speech', 'echo-speech', { text: 'ten signs!' }, 0.0003],
  ['speech', 'echo-speech', { input: 'ten signs!' }, 0.0003],
  // The service may read either of two fields: the more expensive one counts.
  ['image', 'prism-image', { n: 10, num_images: 1 }, 0.2],
  ['image', 'prism-image', { n: 1, num_images: 10 }, 0.2],
  ['image', 'prism-image', { n: 3, num_images: 1, resolution: '4K' }, 0.24],
  ['image', 'prism-image', { size: '1024x1024', resolution: '1K' }, undefined],
  ['video', 'tide-video', { duration: 5, extra_body: { input_video_seconds: 10 } }, 0.2],
  ['speech', 'echo-speech', { text: 'a', input: 'ten signs!' }, 0.0003],
  // The unit of the price belongs to another kind.
  ['music', 'echo-speech', {}, undefined],
  ['speech', 'anthem-music', { text: 'ten signs!' }, undefined],
  ['image', 'aurora-chat', {}, undefined],
] as const)('the price of %s by %s with %j is %s', async (kind, model, body, expected) => {
  expect(priceOf(kind, body, await models.retrieve(model))).toBe(expected);
});

test('a price of zero does not apply', async () => {
  const model = await models.retrieve('prism-image');
  const free = { ...model, pricing: { unitPriceUsd: 0 } };
  expect(priceOf('image', {}, { ...model, ...JSON.parse(JSON.stringify(free)) })).toBeUndefined();
  expect(priceOf('image', {}, { ...model, ...JSON.parse('{"pricing":null}') })).toBeUndefined();
});

test('a class counts the units of the more expensive alternative', async () => {
  const model = await models.retrieve('prism-image');
  expect(quoteOf('image', { n: 10, num_images: 1 }, model).units).toBe(10);
  expect(quoteOf('image', { n: 2 }, model).units).toBe(2);
});
