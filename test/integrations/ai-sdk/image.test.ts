import { generateImage } from 'ai';
import { describe, expect, test } from 'vitest';

import { caught } from '../../client/support.ts';
import { bodyOf, metadataFor, onProvider } from './support.ts';

const path = '/v1/images/tasks';

describe('generateImage', () => {
  test('returns the bytes of every image of one task, and the charge of the call on the first', async () => {
    const { mock, polygate, settle } = onProvider();
    const result = await settle(
      generateImage({ model: polygate.image('prism-image'), prompt: 'A harbor', n: 2 }),
    );
    const [line] = mock.invoice;
    expect(result.images).toHaveLength(2);
    expect(result.image.mediaType).toBe('image/png');
    expect(new TextDecoder().decode(result.image.uint8Array)).toContain('PNG');
    expect(result.warnings).toEqual([]);
    expect(result.calls[0]?.providerMetadata).toEqual({
      polygate: { images: [metadataFor(line), {}] },
    });
    expect(mock.invoice).toHaveLength(1);
    expect(mock.tasks).toHaveLength(1);
  });

  test('warns if nothing proves that an image is complete', async () => {
    const { mock, polygate, settle } = onProvider();
    mock.fail({ route: 'GET /media/{task}/{file}', headers: { 'content-length': null } });
    const { warnings } = await settle(
      generateImage({ model: polygate.image('prism-image'), prompt: 'A harbor' }),
    );
    expect(warnings).toEqual([
      { type: 'other', message: expect.stringContaining('may be incomplete') },
    ]);
  });

  test('more than ten images are split into tasks, each of which is charged once', async () => {
    const { mock, polygate, settle } = onProvider();
    const { images } = await settle(
      generateImage({ model: polygate.image('prism-image'), prompt: 'A harbor', n: 12 }),
    );
    expect(images).toHaveLength(12);
    const posts = mock.requests.filter(({ method }) => method === 'POST');
    expect(posts.map(({ body }) => (body as { n: number }).n)).toEqual([10, 2]);
    expect(mock.invoice).toHaveLength(2);
    expect(mock.assertPaidOnce()).toBeUndefined();
    const charges = images.map(({ providerMetadata }) => providerMetadata?.polygate?.chargeUsd);
    expect([charges[0], charges[10]]).toEqual(mock.invoice.map(({ usd }) => usd));
    expect(charges.filter(Boolean)).toHaveLength(2);
  });

  test('maps size, aspect ratio and one file, and merges provider options last', async () => {
    const { mock, polygate, settle } = onProvider();
    await settle(
      generateImage({
        model: polygate.image('prism-image'),
        prompt: { text: 'A harbor', images: ['https://files.example/a.png'] },
        size: '1024x1024',
        aspectRatio: '1:1',
        providerOptions: { polygate: { resolution: '2k', aspect_ratio: 'auto' } },
      }),
    );
    expect(bodyOf(mock, path)).toEqual({
      model: 'prism-image',
      prompt: 'A harbor',
      n: 1,
      size: '1024x1024',
      aspect_ratio: 'auto',
      image: 'https://files.example/a.png',
      resolution: '2k',
    });
  });

  test('sends several files as references', async () => {
    const { mock, polygate, settle } = onProvider();
    const images = ['https://files.example/a.png', 'https://files.example/b.png'];
    await settle(
      generateImage({ model: polygate.image('prism-image'), prompt: { text: 'Both', images } }),
    );
    expect(bodyOf(mock, path)).toEqual({
      model: 'prism-image',
      prompt: 'Both',
      n: 1,
      reference_image_urls: images,
    });
  });

  test('warns about settings that the service does not have', async () => {
    const { mock, polygate, settle } = onProvider();
    const { warnings } = await settle(
      generateImage({
        model: polygate.image('prism-image'),
        prompt: {
          text: 'A harbor',
          images: ['https://files.example/a.png'],
          mask: 'https://files.example/mask.png',
        },
        seed: 7,
      }),
    );
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'seed' },
      { type: 'unsupported', feature: 'mask' },
    ]);
    expect(bodyOf(mock, path)).not.toHaveProperty('seed');
  });

  test.each([
    ['bytes', new Uint8Array([137, 80, 78, 71])],
    ['a data URL', 'data:image/png;base64,iVBORw=='],
  ])('rejects %s as a file before anything is sent', async (_, file) => {
    const { mock, polygate } = onProvider();
    const prompt = { text: 'A harbor', images: ['https://files.example/a.png', file] };
    const call = generateImage({ model: polygate.image('prism-image'), prompt });
    await expect(call).rejects.toMatchObject({
      name: 'AI_InvalidArgumentError',
      argument: 'files',
    });
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['a provider option', { providerOptions: { polygate: { idempotencyKey: 'order-17' } } }],
    ['a header', { headers: { 'Idempotency-Key': 'order-17' } }],
    ["the service's header", { headers: { 'X-Idempotency-Key': 'order-17' } }],
  ])('takes its idempotency key from %s', async (_, given) => {
    const { mock, polygate, settle } = onProvider();
    const generate = () =>
      settle(generateImage({ model: polygate.image('prism-image'), prompt: 'A harbor', ...given }));
    const [first, second] = [await generate(), await generate()];
    expect(mock.invoice).toMatchObject([{ idempotencyKey: 'order-17' }]);
    expect(bodyOf(mock, path)).not.toHaveProperty('idempotencyKey');
    expect(second.image.providerMetadata?.polygate).toMatchObject({
      replayed: true,
      idempotencyKey: 'order-17',
    });
    expect(second.image.base64).toBe(first.image.base64);
  });

  test('an invalid idempotency key is rejected before anything is sent', async () => {
    const { mock, polygate } = onProvider();
    const providerOptions = { polygate: { idempotencyKey: 17 } };
    const model = polygate.image('prism-image');
    const error = await caught(generateImage({ model, prompt: 'A harbor', providerOptions }));
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(mock.requests).toEqual([]);
  });

  test('downloads without credentials and without headers of the call', async () => {
    const { mock, polygate, settle } = onProvider();
    const headers = { 'x-tenant': 'ann' };
    const model = polygate.image('prism-image');
    await settle(generateImage({ model, prompt: 'A harbor', headers }));
    const download = mock.requests.find(({ path: requested }) => requested.startsWith('/media/'));
    expect(
      Object.keys(download?.headers ?? {}).filter((name) => /auth|key|tenant/.test(name)),
    ).toEqual([]);
    expect(download).toBeDefined();
    expect(mock.requests[0]?.headers).toMatchObject({ 'x-tenant': 'ann' });
  });

  test('sends the credentials of the client, and the key with the submission only', async () => {
    const { mock, polygate, settle } = onProvider();
    const headers = {
      Authorization: 'Bearer other',
      'X-Api-Key': 'other',
      'Idempotency-Key': 'k-1',
    };
    const model = polygate.image('prism-image');
    await settle(generateImage({ model, prompt: 'A harbor', headers }));
    const [submit, ...polls] = mock.requests.filter(({ path: to }) => to.startsWith(path));
    expect(submit?.headers).toMatchObject({ 'x-idempotency-key': 'k-1' });
    expect(polls).not.toEqual([]);
    for (const { headers: sent } of [submit, ...polls].filter((request) => request !== undefined)) {
      expect(sent).toMatchObject({ authorization: `Bearer ${mock.apiKey}` });
      expect(sent).not.toHaveProperty('x-api-key');
      expect(sent).not.toHaveProperty('idempotency-key');
    }
    for (const poll of polls) expect(poll.headers).not.toHaveProperty('x-idempotency-key');
  });

  test.each([
    { reset: 'before' },
    { status: 408 },
    { status: 429 },
    { status: 503 },
    { truncateBody: 20 },
    { status: 200, body: '<!doctype html>', headers: { 'content-type': 'text/html' } },
    { status: 200, body: { error: 'expired' }, headers: { 'content-type': 'image/png' } },
    { status: 200, body: '' },
  ] as const)(
    'downloads again with growing delays after a temporary failure: %j',
    async (fault) => {
      const { mock, polygate, settle } = onProvider();
      const injected = mock.fail({ route: 'GET /media/{taskId}/{file}', times: 2, ...fault });
      const model = polygate.image('prism-image');
      expect((await settle(generateImage({ model, prompt: 'A harbor' }))).images).toHaveLength(1);
      expect(injected.affectedRequests).toBe(2);
      const downloads = mock.requests.filter(({ path: from }) => from.startsWith('/media/'));
      const [first = 0, second = 0, third = 0] = downloads.map(({ at }) => at);
      expect([second - first, third - second]).toEqual([500, 1_000]);
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test('an abort while a download is repeated is an AbortedError with the task', async () => {
    const { mock, polygate } = onProvider();
    const injected = mock.fail({ route: 'GET /media/{taskId}/{file}', status: 429 });
    const controller = new AbortController();
    const model = polygate.image('prism-image');
    const call = generateImage({ model, prompt: 'Fog', abortSignal: controller.signal });
    const failure = caught(call);
    while (injected.affectedRequests === 0) await mock.clock.advance(100);
    controller.abort('the user left');
    expect(await failure).toMatchObject({
      name: 'AbortedError',
      cause: 'the user left',
      task: { id: mock.tasks[0]?.id },
    });
    expect(injected.affectedRequests).toBe(1);
  });

  test('a download that keeps failing carries the task, which is not submitted again', async () => {
    const { mock, polygate, settle } = onProvider();
    mock.fail({ route: 'GET /media/{taskId}/{file}', reset: 'before' });
    const model = polygate.image('prism-image');
    const error = await caught(settle(generateImage({ model, prompt: 'A harbor' })));
    expect(error).toMatchObject({ name: 'ConnectionError', task: { id: mock.tasks[0]?.id } });
    expect(mock.tasks).toHaveLength(1);
  });

  test('an abort during the wait is an AbortedError with the task', async () => {
    const { mock, polygate } = onProvider();
    const controller = new AbortController();
    const model = polygate.image('prism-image');
    const call = generateImage({ model, prompt: 'Fog', abortSignal: controller.signal });
    const failure = caught(call);
    await mock.clock.advance(3_000);
    controller.abort('the user left');
    expect(await failure).toMatchObject({
      name: 'AbortedError',
      cause: 'the user left',
      task: { id: mock.tasks[0]?.id },
    });
    expect(mock.tasks).toHaveLength(1);
  });

  test('an abort during the download is an AbortedError with the task', async () => {
    const controller = new AbortController();
    const { mock, polygate, settle } = onProvider({}, {}, (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      if (!new Request(input).url.includes('/media/')) return response;
      setImmediate(() => controller.abort('the user left'));
      return new Response(new ReadableStream());
    });
    const model = polygate.image('prism-image');
    const call = generateImage({ model, prompt: 'Fog', abortSignal: controller.signal });
    expect(await caught(settle(call))).toMatchObject({
      name: 'AbortedError',
      cause: 'the user left',
      task: { id: mock.tasks[0]?.id },
    });
  });
});
