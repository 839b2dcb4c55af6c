import { describe, expect, test } from 'vitest';

import { ConfigurationError, NotFoundError, ResponseValidationError } from '../../src/index.ts';
import { defaultModels } from '../../src/mock/models.ts';
import { modelTypes } from '../../src/wire/types/catalog/pricing.ts';
import { jsonReply, clientOf, onMock, scripted } from '../client/support.ts';
import { records } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

describe('models.list()', () => {
  test('sends GET /v1/models with the key only in authorization', async () => {
    const { gateway, mock } = onMock();
    await gateway.models.list();
    expect(mock.requests).toMatchObject([
      { method: 'GET', path: '/v1/models', search: '', bodyText: '' },
    ]);
    const { headers } = mock.requests[0] ?? {};
    expect(headers?.authorization).toBe(`Bearer ${mock.apiKey}`);
    for (const name of ['x-api-key', 'x-goog-api-key', 'anthropic-version']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test('returns the full record, which iterates over its models', async () => {
    const { gateway } = onMock();
    const list = await gateway.models.list();
    expect(list.object).toBe('list');
    expect([...list]).toEqual(list.data);
    expect(list.data).toHaveLength(defaultModels.length);
    expect(new Set(list.data.map(({ type }) => type))).toEqual(new Set(modelTypes));
    expect(JSON.parse(JSON.stringify(list))).toEqual({ object: 'list', data: list.data });
  });

  test.each(rows(records.Model))('returns %s of every model', async (_, field) => {
    const { gateway } = onMock();
    const { data: models } = await gateway.models.list();
    const sent = await (await gateway.models.list().asResponse()).json();
    expect(models).not.toHaveLength(0);
    expect(
      difference(
        field,
        models.map((read, index) => ({ read, sent: sent.data[index] })),
      ),
    ).toBeUndefined();
  });

  test('sends x-api-key and a version in the Anthropic style, and returns its list', async () => {
    const { gateway, mock } = onMock();
    const list = await gateway.models.list({ style: 'anthropic' });
    expect(mock.requests).toMatchObject([
      {
        method: 'GET',
        path: '/v1/models',
        search: '',
        headers: {
          authorization: `Bearer ${mock.apiKey}`,
          'x-api-key': mock.apiKey,
          'anthropic-version': '2023-06-01',
        },
      },
    ]);
    expect(list.data[0]).toEqual({
      type: 'model',
      id: 'aurora-chat',
      display_name: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(list.first_id).toBe('aurora-chat');
    expect(list.last_id).toBe(list.data.at(-1)?.id);
    expect(list.has_more).toBe(false);
  });

  test("sends the vendor's key header in the Gemini style, and never a key in the URL", async () => {
    const { gateway, mock } = onMock();
    const list = await gateway.models.list({ style: 'gemini' });
    expect(mock.requests[0]).toMatchObject({
      path: '/v1/models',
      search: '',
      headers: { 'x-goog-api-key': mock.apiKey },
    });
    expect(mock.requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(list.models[0]).toMatchObject({
      name: expect.stringContaining('aurora-chat'),
      displayName: expect.any(String),
    });
    expect(list).toHaveProperty('nextPageToken');
  });

  test.each(['anthropic', 'gemini'] as const)(
    'accepts the per-call options in the %s style as the last argument',
    async (style) => {
      const { gateway, mock } = onMock();
      const options = { requestId: 'mine-3', headers: { 'x-team': 'harbor' } };
      await gateway.models.list({ style }, options);
      const expected = { 'x-request-id': 'mine-3', 'x-team': 'harbor' };
      expect(mock.requests.map(({ headers }) => headers)).toMatchObject([expected]);
    },
  );

  test('accepts the per-call options without a style as well', async () => {
    const { gateway, mock } = onMock();
    await gateway.models.list({}, { requestId: 'mine-4' });
    expect(mock.requests.map(({ requestId }) => requestId)).toEqual(['mine-4']);
  });

  test('does not ignore options that a JavaScript caller puts into the query', async () => {
    const { gateway, mock } = onMock();
    const query: object = { style: 'gemini', requestId: 'mine-5' };
    await gateway.models.list(query);
    expect(mock.requests.map(({ requestId }) => requestId)).toEqual(['mine-5']);
  });

  test('does not ignore a style that a JavaScript caller puts into the options', async () => {
    const { gateway, mock } = onMock();
    const options: object = { style: 'anthropic' };
    await gateway.models.list({}, options);
    expect(mock.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
  });

  test('sends no key in another style if the client has none', async () => {
    const { fetch, sent } = scripted(jsonReply(200, bodies.anthropicModelList));
    const gateway = clientOf(fetch, { apiKey: null });
    await gateway.models.list({ style: 'anthropic' });
    expect(sent[0]?.headers.has('x-api-key')).toBe(false);
    expect(sent[0]?.headers.get('anthropic-version')).toBe('2023-06-01');
  });
});

describe('models.retrieve()', () => {
  test.each([
    ['aurora-chat', '/v1/models/aurora-chat'],
    ['lumen/vision-chat', '/v1/models/lumen%2Fvision-chat'],
  ])('of %s sends GET %s', async (id, path) => {
    const { gateway, mock } = onMock();
    const model = await gateway.models.retrieve(id);
    expect(model.id).toBe(id);
    expect(mock.requests).toMatchObject([{ method: 'GET', path, search: '', bodyText: '' }]);
    expect(mock.requests[0]?.headers.authorization).toBe(`Bearer ${mock.apiKey}`);
  });

  test.each([
    ['a b?c#d', '/v1/models/a%20b%3Fc%23d'],
    ['日本/モデル', '/v1/models/%E6%97%A5%E6%9C%AC%2F%E3%83%A2%E3%83%87%E3%83%AB'],
    ['50%', '/v1/models/50%25'],
  ])('encodes all of %s', async (id, path) => {
    const { fetch, sent } = scripted(jsonReply(200, { id }));
    await clientOf(fetch).models.retrieve(id);
    expect(new URL(sent[0]?.url ?? '').pathname).toBe(path);
  });

  test.each([
    ['empty', ''],
    ['dots', '..'],
    ['path traversal', 'a/../b'],
    ['a backslash', 'a\\b'],
  ])('rejects an id that would change the path before sending a request: %s', async (_, id) => {
    const { gateway, mock } = onMock();
    await rejection(ConfigurationError, Promise.resolve(gateway.models.retrieve(id)));
    expect(mock.requests).toEqual([]);
  });

  test.each(rows(records['Pricing object']))('returns pricing.%s', async (_, field) => {
    const { gateway } = onMock();
    const { pricing: read } = await gateway.models.retrieve('prism-image');
    const response = await gateway.models.retrieve('prism-image').asResponse();
    expect(difference(field, [{ read, sent: (await response.json()).pricing }])).toBeUndefined();
  });

  test.each([
    ['prism-image', 'image'],
    ['tide-video', 'second'],
  ])('of %s returns the billing unit %s', async (id, unit) => {
    const { pricing } = await onMock().gateway.models.retrieve(id);
    expect(pricing.profiles.api).toMatchObject({ billingUnit: unit, priceContext: 'api' });
    expect(pricing.resolutionPrices.length).toBeGreaterThan(1);
  });

  test('keeps request_interface and a created value of 0', async () => {
    const { gateway } = onMock();
    expect(await gateway.models.retrieve('prism-image')).toHaveProperty('request_interface');
    const zero = clientOf(scripted(jsonReply(200, bodies.model)).fetch);
    expect((await zero.models.retrieve('harbor/painter-2')).created).toBe(0);
  });

  test('rejects an unknown model with NotFoundError and does not retry', async () => {
    const { gateway, mock } = onMock();
    const error = await rejection(
      NotFoundError,
      Promise.resolve(gateway.models.retrieve('nobody/nothing')),
    );
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(mock.requests).toHaveLength(1);
  });
});

describe('a record that differs from the documentation', () => {
  test.each([
    ['unknown fields', { ...bodies.model, context_window: 200_000, tags: ['new'] }],
    ['an undocumented type', { ...bodies.model, type: 'embedding' }],
    ['a model without a type', { id: 'm' }],
    ['no pricing', { ...bodies.model, pricing: undefined }],
    ['pricing that is null', { ...bodies.model, pricing: null }],
    [
      'another billing unit',
      { ...bodies.model, pricing: { profiles: { api: { billingUnit: 'x' } } } },
    ],
  ])('is returned unchanged: %s', async (_, body) => {
    const { fetch } = scripted(
      jsonReply(200, body),
      jsonReply(200, { object: 'list', data: [body] }),
    );
    const gateway = clientOf(fetch);
    const wire: unknown = JSON.parse(JSON.stringify(body));
    expect(await gateway.models.retrieve('m')).toEqual(wire);
    expect([...(await gateway.models.list())]).toEqual([wire]);
  });

  const invalid: [string, 'openai' | 'anthropic' | 'gemini', unknown, string][] = [
    ['no data', 'openai', { object: 'list' }, 'data'],
    ['data that is an object', 'openai', { object: 'list', data: {} }, 'data'],
    ['a model whose id is a number', 'openai', { object: 'list', data: [{ id: 7 }] }, 'data'],
    ["no data in Anthropic's style", 'anthropic', bodies.geminiModelList, 'data'],
    ["no models in Gemini's style", 'gemini', bodies.modelList, 'models'],
    ['a model without a name', 'gemini', { models: [{ displayName: 'M' }] }, 'models'],
  ];

  test.each(invalid)(
    'is rejected with body and meta if a field that the client needs is invalid: %s',
    async (_, style, body, field) => {
      const gateway = clientOf(scripted(jsonReply(200, body)).fetch);
      const list = gateway.models.list(style === 'openai' ? {} : { style });
      const error = await rejection(ResponseValidationError, Promise.resolve(list));
      expect(error.body).toEqual(body);
      expect(error.meta.status).toBe(200);
      expect(error.issues?.[0]?.path?.[0]).toBe(field);
    },
  );
});
