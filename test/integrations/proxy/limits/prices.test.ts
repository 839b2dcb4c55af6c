import { APIError, PaymentRequiredError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { rejection } from '../../../support/rejection.ts';
import { mount, sendRaw, startProxy } from '../support.ts';
import { chat, image, received, usageOf } from './support.ts';

const once = { maxRetries: 0 };
const video = { model: 'tide-video', prompt: 'Waves', duration: 5 };
const input = { extra_body: { input_video_seconds: 9 } };
const nothing = { usd: 0, reservedUsd: 0, requests: 0, inFlight: 0 };

describe('a request whose price is not known', () => {
  const unpriced: [string, string, object][] = [
    ['a model that is not listed', '/v1/images/tasks', { model: 'none', prompt: 'A harbor' }],
    ['a video without a duration', '/v1/videos', { model: 'tide-video', prompt: 'Waves' }],
    ['a size in pixels', '/v1/images/tasks', { ...image, size: '1024x1024' }],
    // A service may read either of them.
    [
      'a size in pixels next to a cheap resolution',
      '/v1/images/tasks',
      { ...image, size: '4096x4096', resolution: '1K' },
    ],
    [
      'a size that is not listed next to a cheap resolution',
      '/v1/videos',
      { ...video, size: '1920x1080', resolution: '720p' },
    ],
    [
      'a duration of 0 next to that of the input',
      '/v1/videos',
      { ...video, duration: 0, ...input },
    ],
    ['a negative count', '/v1/images/tasks', { ...image, num_images: -1 }],
    ['a list as a count', '/v1/images/tasks', { ...image, n: [1] }],
    [
      'an input video whose length is only at the top level',
      '/v1/videos',
      { model: 'tide-video', prompt: 'x', resolution: '1080p', input_video_seconds: 0.1 },
    ],
    ['true as a count', '/v1/images/tasks', { ...image, n: true }],
    ['a list as a text', '/v1/audio/tasks', { model: 'echo-speech', text: ['Hello', 'you'] }],
    ['a number as a text', '/v1/audio/tasks', { model: 'echo-speech', text: 12_345 }],
    ['a route that is not documented', '/v1/images/edits', image],
  ];
  const send = (origin: string, path: string, body: object) =>
    sendRaw(origin, {
      method: 'POST',
      path: mount + path,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const allow = [
    'POST /v1/images/tasks',
    'POST /v1/videos',
    'POST /v1/images/edits',
    'POST /v1/audio/tasks',
  ] as const;

  test.each(unpriced)('is refused: %s', async (_, path, body) => {
    const setup = await startProxy({ limits: { usd: 1 }, allow });
    expect(await send(setup.origin, path, body)).toMatchObject({
      status: 403,
      code: 'price_unknown',
    });
    expect(received(setup.mock)).toEqual([]);
    expect(await usageOf(setup)).toEqual(nothing);
  });

  test('of a route without any price names no field of tasks', async () => {
    const path = '/v1/embeddings';
    const { origin } = await startProxy({ limits: { usd: 1 }, allow: [`POST ${path}`] });
    const { status, body } = await send(origin, path, { input: 'A harbor' });
    expect(status).toBe(403);
    expect(body).toContain("The operator of the proxy can allow it with unpriced: 'allow'.");
    expect(body).not.toContain('resolution');
  });

  test.each([
    ['of the proxy', { limits: { usd: 0.04 }, unpriced: 'allow' }],
    ['of the limits', { limits: { usd: 0.04, unpriced: 'allow' } }],
  ] as const)('reserves chatUsd with the option %s', async (_, options) => {
    const { mock, page } = await startProxy(options);
    const unknown = { model: 'tide-video', prompt: 'Waves' };
    await rejection(PaymentRequiredError, page(once).videos.submit(unknown));
    await startProxy({ ...options, limits: { ...options.limits, usd: 1 } }).then((other) =>
      other.page(once).videos.submit(unknown),
    );
    expect(mock.invoice).toEqual([]);
  });

  test('is forwarded if only other limits are set', async () => {
    const { mock, page } = await startProxy({ limits: { requests: 5 } });
    await page(once).videos.submit({ model: 'tide-video', prompt: 'Waves' });
    expect(mock.requests.map(({ path }) => path)).toEqual(['/v1/videos']);
  });
});

test('a price of 0 counts as unknown: a model that is charged by its tokens can have it', async () => {
  const setup = await startProxy({ limits: { usd: 1 } });
  const pricing = { unitPriceUsd: 0, outputPricePer1kUsd: 0.04 };
  const list = { object: 'list', data: [{ id: image.model, pricing }] };
  setup.mock.fail({ route: 'GET /v1/models', status: 200, body: list });
  const error = await rejection(APIError, setup.page(once).images.submit(image));
  expect(error).toMatchObject({ status: 403, code: 'price_unknown' });
  expect(setup.mock.invoice).toEqual([]);
});

test.each([
  ['images', '/v1/images/tasks', { ...image, n: 1e-9 }, 0.02],
  ['images, as a text', '/v1/images/tasks', { ...image, n: '1.5' }, 0.04],
  ['seconds', '/v1/videos', { ...video, duration: 1e-9, resolution: '720p' }, 0.02],
])('a part of a unit is reserved as a whole one: %s', reservesPrice);

test.each([
  ['a size that is null', '/v1/images/tasks', { ...image, size: null, resolution: '2K' }, 0.04],
  ['two resolutions', '/v1/videos', { ...video, size: '1080p', resolution: '720p' }, 0.2],
  ['two durations', '/v1/videos', { ...video, resolution: '720p', ...input }, 0.18],
  [
    'a duration next to that of the input at the top level',
    '/v1/videos',
    {
      ...video,
      resolution: '720p',
      input_video_seconds: 9,
      extra_body: { input_video_seconds: 1 },
    },
    0.18,
  ],
  ['other options', '/v1/videos', { ...video, extra_body: { generate_audio: true } }, 0.1],
])('with %s, the highest price is reserved', reservesPrice);

async function reservesPrice(_: string, path: string, body: object, reservedUsd: number) {
  const calls: (number | undefined)[] = [];
  const { origin } = await startProxy({
    limits: { usd: 1 },
    permit: (call) => calls.push(call.reservedUsd) > 0,
  });
  await sendRaw(origin, {
    method: 'POST',
    path: mount + path,
    headers: { 'x-user': 'ann', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(calls).toEqual([reservedUsd]);
}

describe('the price list', () => {
  test('is read once for many requests, and not for chats', async () => {
    const { mock, page } = await startProxy({ limits: { usd: 10 } });
    const reads = () => mock.requests.filter(({ path }) => path === '/v1/models').length;
    await page().chat.completions.create(chat);
    expect(reads()).toBe(0);
    await Promise.all([1, 2, 3].map(() => page().images.submit(image)));
    expect(reads()).toBe(1);
  });

  test('that cannot be read leads to a 503, and nothing is sent', async () => {
    const { mock, page, reports } = await startProxy({ limits: { usd: 10 } });
    mock.fail({ route: 'GET /v1/models', status: 500 });
    const error = await rejection(APIError, page(once).images.submit(image));
    expect(error).toMatchObject({ status: 503, code: 'prices_unavailable', outcome: 'rejected' });
    expect(String(reports)).toContain('The price list could not be read (500)');
    expect(mock.invoice).toEqual([]);
  });

  test('a failed read refuses tasks for the second that the response names, and no longer', async () => {
    const { mock, page, origin } = await startProxy({ limits: { usd: 10 } });
    mock.fail({ route: 'GET /v1/models', status: 500, times: 1 });
    const refused = await sendRaw(origin, {
      method: 'POST',
      path: `${mount}/v1/images/tasks`,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify(image),
    });
    expect(refused).toMatchObject({ status: 503, code: 'prices_unavailable' });
    expect(refused.headers['retry-after']).toBe('1');
    // Its retry follows the header.
    await page({ maxRetries: 1, random: () => 0 }).images.submit(image);
    expect(mock.invoice).toHaveLength(1);
  });
});
