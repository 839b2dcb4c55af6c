import { Polygate } from 'polygate';
import { expect, test } from 'vitest';

import { priceOf } from '../../src/mcp/price.ts';
import { createMockGateway } from '../../src/mock/index.ts';

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
