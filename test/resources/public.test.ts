import { describe, expect, test } from 'vitest';

import { NotFoundError, ResponseValidationError } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import { modelTypes } from '../../src/wire/types/catalog/pricing.ts';
import { jsonReply, clientOf, onMock, scripted } from '../client/support.ts';
import { codes, records, requests } from '../coverage/specification.ts';
import { publicCalls } from '../support/calls.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

const calls = publicCalls.map(({ sent, call }) => [sent, call] as const);
const secrets = ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie'];

describe('every public call', () => {
  test.each(calls)('%s is sent as documented', async (sent, call) => {
    const { gateway, mock } = onMock();
    expect(await call(gateway)).toBeTypeOf('object');
    const [{ method, path, search, bodyText, status } = {}] = mock.requests;
    expect(`${method} ${path}`).toBe(sent);
    expect({ search, bodyText, status }).toEqual({ search: '', bodyText: '', status: 200 });
    expect(mock.requests).toHaveLength(1);
  });

  test.each(calls)('%s carries no credentials, even if the client has some', async (_, call) => {
    const { gateway, mock } = onMock(
      {},
      {
        apiKey: () => expect.unreachable('the key must not be requested'),
        headers: {
          'x-api-key': 'sk-one',
          'X-Goog-Api-Key': 'sk-two',
          Authorization: 'Bearer sk-three',
          Cookie: 'session=sk-four',
          'x-team': 'harbor',
        },
      },
    );
    await call(gateway);
    const { headers = {} } = mock.requests[0] ?? {};
    for (const name of secrets) expect(headers).not.toHaveProperty(name);
    expect(JSON.stringify(mock.requests)).not.toContain('sk-');
    expect(headers['x-team']).toBe('harbor');
  });

  test.each(calls)('%s needs no API key', async (sent, call) => {
    const { mock } = onMock();
    const gateway = clientOf((input, init) => mock.fetch(input, init), {
      apiKey: undefined,
      baseURL: mock.baseURL,
    });
    await call(gateway);
    expect(mock.requests).toMatchObject([{ status: 200 }]);
    expect(sent).toContain(mock.requests[0]?.path);
  });

  test.each(calls)('%s is retried after an outage, but not after a 404', async (sent, call) => {
    const { gateway, mock } = onMock();
    mock.fail({ route: sent, reset: 'before', times: 1 });
    mock.fail({ route: sent, status: 503, times: 1 });
    await mock.clock.settle(call(gateway));
    expect(mock.requests).toHaveLength(3);
    mock.clearRecords();
    mock.fail({ route: sent, status: 404 });
    await rejection(NotFoundError, call(gateway));
    expect(mock.requests).toHaveLength(1);
  });

  test.each(calls)('%s returns undocumented fields unchanged', async (_, call) => {
    const body = { weather: { wind: [7] }, object: 'surprise' };
    expect(await call(clientOf(scripted(jsonReply(200, body)).fetch))).toEqual(body);
  });

  test.each(calls)('%s rejects a response that is not a record', async (_, call) => {
    const gateway = clientOf(scripted(jsonReply(200, ['a list'])).fetch);
    const error = await rejection(ResponseValidationError, call(gateway));
    expect(error).toMatchObject({ body: ['a list'], meta: { status: 200 } });
  });
});

describe('public.status()', () => {
  test.each(rows(records['Service status']))('returns %s', async (_, field) => {
    const { gateway } = onMock();
    const read = await gateway.public.status();
    const wire = await gateway.public.status().asResponse();
    expect(difference(field, [{ read, sent: await wire.json() }])).toBeUndefined();
  });

  test.each(['zh-CN', 'en-US', 'ja-JP', 'ko-KR'] as const)(
    'returns the title in %s',
    async (locale) => {
      const { gateway, mock } = onMock();
      const { title } = await gateway.public.status({ locale });
      expect(mock.requests[0]?.search).toBe(`?locale=${locale}`);
      const english = (await gateway.public.status()).title;
      expect(title === english).toBe(locale === 'en-US');
    },
  );

  test('returns degraded and undocumented statuses unchanged', async () => {
    const { serviceStatus } = bodies;
    for (const overallStatus of ['degraded', 'on fire']) {
      const gateway = clientOf(scripted(jsonReply(200, { ...serviceStatus, overallStatus })).fetch);
      expect((await gateway.public.status()).overallStatus).toBe(overallStatus);
    }
  });
});

describe('public.pricing()', () => {
  test.each(['all', ...modelTypes] as const)('filters by the type %s', async (type) => {
    const { gateway, mock } = onMock();
    const { data = [] } = await gateway.public.pricing({ type });
    expect(mock.requests[0]?.search).toBe(`?type=${type}`);
    const types = new Set(data.map((entry) => entry.type));
    expect(types).toEqual(new Set(type === 'all' ? modelTypes : [type]));
  });
});

describe('queries', () => {
  test.each(rows(requests['Status query']))(
    'of public.status(): %s is sent encoded',
    async (name) => {
      const { fetch, sent } = scripted(jsonReply(200, bodies.serviceStatus));
      await clientOf(fetch).public.status({ [name]: 'a b&c' });
      expect(sent[0]?.url).toMatch(new RegExp(`/v1/status\\?${name}=a\\+b%26c$`));
    },
  );

  test.each(rows(requests['Pricing query']))(
    'of public.pricing(): %s is sent encoded',
    async (name) => {
      const { fetch, sent } = scripted(jsonReply(200, bodies.pricingCatalog));
      await clientOf(fetch).public.pricing({ [name]: 'a b&c' });
      expect(sent[0]?.url).toMatch(new RegExp(`/v1/pricing\\?${name}=a\\+b%26c$`));
    },
  );
});

describe('public.error()', () => {
  test.each(codes)('explains the code %s', async (code) => {
    const { gateway, mock } = onMock();
    const detail = await gateway.public.error(code);
    expect(mock.requests[0]?.path).toBe(`/v1/errors/${code}`);
    expect(detail).toMatchObject({
      code,
      retry: { retryable: expect.any(Boolean) },
      example: { error: { code } },
      support: expect.any(String),
    });
    const { data = [] } = await gateway.public.errors();
    expect(data).toContainEqual(detail);
  });

  test('rejects an unknown code with NotFoundError', async () => {
    const { gateway } = onMock();
    const error = await rejection(
      NotFoundError,
      Promise.resolve(gateway.public.error('no/such code')),
    );
    expect(error.status).toBe(404);
  });

  test('encodes the code', async () => {
    const { fetch, sent } = scripted(jsonReply(200, bodies.errorDetail));
    await clientOf(fetch).public.error('a/b c');
    expect(sent[0]?.url).toMatch(/\/v1\/errors\/a%2Fb%20c$/);
  });
});

describe('other records', () => {
  const read: [string, unknown, (gateway: Polygate) => Promise<unknown>][] = [
    ['capabilities', bodies.capabilities, async (gateway) => gateway.public.capabilities()],
    ['errors', bodies.errorCatalog, async (gateway) => gateway.public.errors()],
    ['error', bodies.errorDetail, async (gateway) => gateway.public.error('x')],
    ['changelog', bodies.changelog, async (gateway) => gateway.public.changelog()],
    ['pricing', bodies.pricingCatalog, async (gateway) => gateway.public.pricing()],
    ['rateLimits', bodies.rateLimitPolicy, async (gateway) => gateway.public.rateLimits()],
    ['openapi', bodies.openApiDocument, async (gateway) => gateway.public.openapi()],
  ];

  test.each(read)(
    'public.%s() returns its record unchanged, even an empty one',
    async (_, body, call) => {
      expect(await call(clientOf(scripted(jsonReply(200, body)).fetch))).toEqual(body);
      expect(await call(clientOf(scripted(jsonReply(200, {})).fetch))).toEqual({});
    },
  );

  test('capabilities contain the documented fields', async () => {
    const { gateway } = onMock();
    const capabilities = await gateway.public.capabilities();
    for (const name of [
      'endpoints',
      'modalities',
      'locales',
      'currencies',
      'idempotency',
      'webhooks',
      'limits',
    ]) {
      expect(capabilities).toHaveProperty(name);
    }
  });

  test('rateLimits contain tiers and backoff, and openapi is a version 3 document', async () => {
    const { gateway } = onMock();
    const { tiers, backoff } = await gateway.public.rateLimits();
    expect(tiers?.length).toBeGreaterThan(0);
    expect(backoff).toBeTypeOf('object');
    const { openapi, ...document } = await gateway.public.openapi();
    expect(openapi).toMatch(/^3\./);
    const { paths } = document as { paths: object };
    for (const { route } of publicCalls) expect(paths).toHaveProperty([route.replace('GET ', '')]);
  });
});
