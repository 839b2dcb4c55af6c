import { describe, expect, test } from 'vitest';

import { estimate, extractImages } from '../../src/index.ts';
import type { ChatCompletion, KnownPrices } from '../../src/index.ts';
import { completion, onMock } from '../client/support.ts';

/** Prices as a model record may contain them. */
const prices = (record: object): KnownPrices => record;
const resolutions = [
  { resolution: '1K', unitPriceUsd: 0.02, enabled: true },
  { resolution: '2k', unitPriceUsd: 0.04, enabled: true },
  { resolution: '4K', unitPriceUsd: 0.08, enabled: false },
];
const tiered = prices({ unitPriceUsd: 0.01, resolutionPrices: resolutions });

describe('estimate.voiceClone()', () => {
  test.each([
    ['', undefined, 1.5],
    ['Ahoy', undefined, 1.5012],
    ['Ahoy', 2, 3.0012],
    ['你好', 1, 1.5006],
    ['👋🏽', 1, 1.5006],
    ['a\n b', 1, 1.5012],
  ])(
    'for %j and %s voices is 1.5 per voice and 0.0003 per code point',
    (previewText, voices, usd) => {
      const params = voices === undefined ? { previewText } : { previewText, voices };
      expect(estimate.voiceClone(params)).toBe(usd);
    },
  );
});

describe('estimate.voiceDesign()', () => {
  test.each([
    ['', undefined, 3],
    ['Ahoy', undefined, 3.00012],
    ['Ahoy', 2, 6.00012],
    ['👋 你好', 1, 3.00012],
  ])(
    'for %j and %s voices is 3 per voice and 0.00003 per code point',
    (previewText, voices, usd) => {
      const params = voices === undefined ? { previewText } : { previewText, voices };
      expect(estimate.voiceDesign(params)).toBe(usd);
    },
  );
});

describe('estimate.speech()', () => {
  test.each([
    ['', 0],
    ['Ahoy, 你好!\n🚢 👋', 13],
    [' \t\r\n', 4],
    ['👨‍👩‍👧', 5],
    ['e\u0301', 2],
  ])('counts every code point of %j', (text, characters) => {
    const usd = estimate.speech(prices({ unitPriceUsd: 0.5 }), text);
    expect(usd).toBe(characters * 0.5);
  });

  test('matches what the gateway charges', async () => {
    const { gateway, mock } = onMock();
    const { pricing } = await gateway.models.retrieve('echo-speech');
    const text = 'Ahoy, 你好!\n🚢 👋'.repeat(7);
    await gateway.audio.speech.submit({ model: 'echo-speech', text, voice_id: 'calm-narrator' });
    expect(estimate.speech(pricing, text)).toBe(mock.invoice[0]?.usd);
  });
});

describe('estimate.image()', () => {
  test.each([
    [undefined, 0.01],
    [{}, 0.01],
    [{ count: 3 }, 0.03],
    [{ resolution: '1K' }, 0.02],
    [{ resolution: '1k', count: 3 }, 0.06],
    [{ resolution: '2K' }, 0.04],
  ])(
    'for %j is the price of the resolution, in any letter case, times the count',
    (params, usd) => {
      expect(estimate.image(tiered, params)).toBe(usd);
    },
  );

  test.each([
    ['an unknown resolution', tiered, { resolution: '8K' }],
    ['a list of prices with a null', prices({ resolutionPrices: [null] }), { resolution: '1K' }],
    ['a disabled resolution', tiered, { resolution: '4k' }],
    ['no price', prices({}), {}],
    ['a price that is null', prices({ unitPriceUsd: null }), {}],
    [
      'a resolution price that is null',
      prices({ resolutionPrices: [{ resolution: '1K', unitPriceUsd: null, enabled: true }] }),
      { resolution: '1K' },
    ],
    [
      'a missing resolution price',
      prices({ unitPriceUsd: 9, resolutionPrices: [{ resolution: '1K', enabled: true }] }),
      { resolution: '1K' },
    ],
    [
      'a price without a resolution',
      prices({ resolutionPrices: [{ unitPriceUsd: 0.02, enabled: true }] }),
      { resolution: '1K' },
    ],
    ['no record', undefined, {}],
    ['a record that is null', null, {}],
  ])('is undefined for %s', (_, pricing, params) => {
    expect(estimate.image(pricing, params)).toBeUndefined();
  });

  test('prefers the price for API calls to the displayed price', () => {
    const record = { unitPriceUsd: 9, profiles: { api: { unitPriceUsd: 0.05 } } };
    expect(estimate.image(prices(record))).toBe(0.05);
    expect(estimate.image(prices({ unitPriceUsd: 9, profiles: {} }))).toBe(9);
    expect(estimate.image(prices({ unitPriceUsd: 9, profiles: null }))).toBe(9);
  });

  test('uses the displayed price of a resolution if the price for API calls has none', () => {
    const record = {
      resolutionPrices: resolutions,
      profiles: { api: { unitPriceUsd: 0.01, resolutionPrices: [] } },
    };
    expect(estimate.image(prices(record), { resolution: '2K' })).toBe(0.04);
    expect(estimate.image(prices(record))).toBe(0.01);
  });

  test('is undefined if a price is negative', () => {
    expect(estimate.image(prices({ unitPriceUsd: -1 }))).toBeUndefined();
  });

  test('is 0 if the price is 0', () => {
    const free = { unitPriceUsd: 0, inputPricePer1kUsd: 0, resolutionPrices: [] };
    expect(estimate.image(prices(free))).toBe(0);
  });

  test.each([
    ['output tokens', { outputPricePer1kUsd: 0.04 }],
    ['input tokens', { profiles: { api: { unitPriceUsd: 0, inputPricePer1kUsd: 0.01 } } }],
    ['each resolution', { resolutionPrices: resolutions }],
  ])('is undefined if the price is 0 next to that of %s', (_, others) => {
    expect(estimate.image(prices({ unitPriceUsd: 0, ...others }))).toBeUndefined();
  });

  test.each([
    ['prism-image', '2k', 3],
    ['prism-image', undefined, 2],
    ['prism-sketch', '1K', 1],
  ])('matches what the gateway charges: %s %s', async (model, resolution, n) => {
    const { gateway, mock } = onMock();
    const { pricing } = await gateway.models.retrieve(model);
    const size = resolution === undefined ? {} : { resolution };
    await gateway.images.submit({ model, prompt: 'A harbor', n, ...size });
    expect(estimate.image(pricing, { ...size, count: n })).toBe(mock.invoice[0]?.usd);
  });
});

describe('estimate.video()', () => {
  test.each([
    ['720p', 5, 0.1],
    ['1080P', 5, 0.2],
    [undefined, 7, 0.14],
  ])(
    'for %s is the price per second times the duration, as the gateway charges it',
    async (resolution, seconds, usd) => {
      const { gateway, mock } = onMock();
      const { pricing } = await gateway.models.retrieve('tide-video');
      const size = resolution === undefined ? {} : { resolution };
      const video = { model: 'tide-video', prompt: 'A harbor', duration: seconds, ...size };
      await gateway.videos.submit(video);
      expect(estimate.video(pricing, { ...size, seconds })).toBe(usd);
      expect(mock.invoice[0]?.usd).toBe(usd);
    },
  );

  test('is undefined without a price', () => {
    expect(estimate.video(prices({}), { seconds: 5 })).toBeUndefined();
    expect(estimate.video(tiered, { resolution: '8K', seconds: 5 })).toBeUndefined();
  });
});

test('estimates have no floating-point rounding errors', () => {
  expect(estimate.image(prices({ unitPriceUsd: 0.1 }), { count: 3 })).toBe(0.3);
  expect(estimate.speech(prices({ unitPriceUsd: 0.000_01 }), 'x'.repeat(3))).toBe(0.000_03);
});

describe('extractImages()', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const jpeg = 'data:image/jpeg;base64,/9j/4AAQ+A==';
  const url = 'https://files.example/1.png';
  /** A completion with one choice for each of these messages. */
  const completionOf = (...messages: object[]): ChatCompletion => ({
    ...(completion as ChatCompletion),
    choices: messages.map((message, index) => ({
      index,
      finish_reason: 'stop',
      message: { role: 'assistant', content: null, ...message },
    })),
  });
  const image = (address: string) => ({ type: 'image_url', image_url: { url: address } });

  test.each([
    ['nothing', completionOf({ content: 'Ahoy' }), []],
    ['no choices', completionOf(), []],
    ['content that is null', completionOf({ content: null, images: null }), []],
    ['the images of the message', completionOf({ images: [image(url), image(png)] }), [url, png]],
    [
      'data URLs in the text',
      completionOf({ content: `One ![a](${png}) and ${jpeg}.` }),
      [png, jpeg],
    ],
    [
      'a repeated image once',
      completionOf({ images: [image(png)], content: `![a](${png})` }),
      [png],
    ],
    [
      'images of every choice',
      completionOf({ images: [image(url)] }, { content: png }),
      [url, png],
    ],
    [
      'no other data URLs or links',
      completionOf({ content: 'data:text/plain;base64,AAAA https://a.example/1.png' }),
      [],
    ],
  ])('finds %s', (_, chatCompletion, urls) => {
    expect(extractImages(chatCompletion)).toEqual(urls.map((found) => ({ url: found })));
  });

  test('finds an image generated by a chat request', async () => {
    const { gateway } = onMock();
    const generated = await gateway.chat.completions.create({
      model: 'lumen/vision-chat',
      messages: [{ role: 'user', content: 'Draw a harbor' }],
      extra_body: { image_config: { aspect_ratio: '1:1' } },
    });
    const found = extractImages(generated);
    expect(found).toHaveLength(1);
    expect(found[0]?.url).toMatch(/^data:image\//);
  });
});
