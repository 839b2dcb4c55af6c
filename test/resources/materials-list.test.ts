import { describe, expect, test } from 'vitest';

import { BadRequestError, ConfigurationError, ResponseValidationError } from '../../src/index.ts';
import type { MaterialListQuery, MaterialPage } from '../../src/index.ts';
import type { MockGatewayOptions } from '../../src/mock/index.ts';
import { jsonReply, clientOf, onMock, scripted } from '../client/support.ts';
import { records, requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { collect, rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

const person = { consent_confirmed: true as const, callback_url: 'https://app.example/back' };

/** A client with this many images in its library, and their ids. */
async function library(count: number, settings: MockGatewayOptions = {}) {
  const { gateway, mock } = onMock(settings);
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const url = `https://files.example/${number}.png`;
    ids.push((await gateway.materials.create({ url, type: 'image' })).id);
  }
  mock.clearRecords();
  return { gateway, mock, newestFirst: ids.toReversed() };
}

describe('materials.list()', () => {
  test.each([
    [undefined, ''],
    [{}, ''],
    [{ type: undefined, limit: undefined }, ''],
    [{ type: 'image', status: 'available', limit: 7 }, '?type=image&status=available&limit=7'],
  ] satisfies [MaterialListQuery | undefined, string][])(
    'with %j sends GET /v1/materials%s',
    async (query, search) => {
      const { gateway, mock } = onMock();
      await gateway.materials.list(query);
      expect(mock.requests).toMatchObject([
        {
          method: 'GET',
          path: '/v1/materials',
          search,
          bodyText: '',
          headers: { authorization: `Bearer ${mock.apiKey}` },
        },
      ]);
    },
  );

  test.each(rows(requests['Material list query']))('sends the query %s, encoded', async (name) => {
    const { fetch, sent } = scripted(jsonReply(200, bodies.materialPage));
    const value = name === 'limit' ? 7 : 'a/b +&=';
    await clientOf(fetch).materials.list({ [name]: value });
    expect(new URL(sent[0]?.url ?? '').searchParams.get(name)).toBe(String(value));
  });

  test.each(rows(records['Material list']))('returns %s', async (_, field) => {
    const { gateway } = await library(3);
    const read = await gateway.materials.list({ limit: 2 });
    const wire = await gateway.materials.list({ limit: 2 }).asResponse();
    expect(difference(field, [{ read, sent: await wire.json() }])).toBeUndefined();
  });

  test.each([1, 100])('accepts a limit of %d', async (limit) => {
    const { gateway, mock } = onMock();
    await gateway.materials.list({ limit });
    expect(mock.requests[0]).toMatchObject({ search: `?limit=${limit}`, status: 200 });
  });

  test.each([0, 101, 1.5, Number.NaN, '10'])(
    'rejects a limit of %s before sending a request',
    async (limit) => {
      const { gateway, mock } = onMock();
      const untyped = { limit } as MaterialListQuery;
      const error = await rejection(
        ConfigurationError,
        Promise.resolve(gateway.materials.list(untyped)),
      );
      expect(error.message).toContain('limit');
      expect(mock.requests).toEqual([]);
    },
  );

  test('returns 50 materials per page by default', async () => {
    const { gateway } = await library(51);
    const page = await gateway.materials.list();
    expect(page.data).toHaveLength(50);
    expect(page).toMatchObject({ object: 'material.list', has_more: true });
    expect((await page.nextPage())?.data).toHaveLength(1);
  });

  test.each([
    ['a cursor of another user', { after: 'cur_1_x' }, 'invalid_material_cursor'],
    ['a status that is never listed', { status: 'deleted' }, 'invalid_material_request'],
    ['an undocumented type', { type: 'text' }, 'invalid_material_request'],
  ])('sends %s, which the service rejects', async (_, query, code) => {
    const { gateway, mock } = onMock();
    const error = await rejection(BadRequestError, Promise.resolve(gateway.materials.list(query)));
    expect(error).toMatchObject({ status: 400, code });
    expect(mock.requests).toHaveLength(1);
  });

  test.each(['image', 'video', 'audio'] as const)(
    'filters materials by the type %s',
    async (type) => {
      const { gateway } = onMock();
      for (const other of ['image', 'video', 'audio'] as const) {
        await gateway.materials.create({ url: `https://files.example/${other}`, type: other });
      }
      const { data } = await gateway.materials.list({ type });
      expect(data.map((material) => material.type)).toEqual([type]);
    },
  );

  test('excludes failed, deleted and expired materials', async () => {
    const { gateway, mock } = onMock({
      materials: { outcome: (url) => (url.includes('bad') ? 'failed' : 'available') },
      assumptions: { A22: 1 },
    });
    const create = (url: string, real = false) =>
      gateway.materials.create({
        url: `https://files.example/${url}`,
        type: 'image',
        ...(real && { real_person: person }),
      });
    await create('old');
    await mock.clock.advance(2 * 60 * 60 * 1000 + 4_000);
    await create('bad');
    const { id: deleted } = await create('deleted');
    await gateway.materials.delete(deleted);
    const rejected = await create('rejected', true);
    await mock.fetch(`${rejected.verification_url}?outcome=failed`);
    await create('late', true);
    const { id } = await create('good');
    await mock.clock.advance(60_000);
    const pending = await create('pending', true);
    const { data } = await gateway.materials.list();
    expect(data.map((material) => [material.id, material.status])).toEqual([
      [pending.id, 'verification_pending'],
      [id, 'available'],
    ]);
  });
});

describe('pages', () => {
  test('are fetched by the unchanged cursor, with the query and options of the first page', async () => {
    const { gateway, mock, newestFirst } = await library(5);
    const options = { headers: { 'x-team': 'harbor' } };
    const first = await gateway.materials.list({ type: 'image', limit: 2 }, options);
    const second = await first.nextPage();
    const third = await second?.nextPage();
    expect(await third?.nextPage()).toBeNull();
    const pages = [first, second, third];
    expect(pages.map((page) => page?.data.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap((page) => page?.data.map(({ id }) => id))).toEqual(newestFirst);
    expect(
      mock.requests.map(({ search }) => Object.fromEntries(new URLSearchParams(search))),
    ).toEqual([
      { type: 'image', limit: '2' },
      { type: 'image', limit: '2', after: first.next_cursor },
      { type: 'image', limit: '2', after: second?.next_cursor },
    ]);
    expect(mock.requests.every(({ headers }) => headers['x-team'] === 'harbor')).toBe(true);
  });

  test('are iterated by for await, each fetched when it is needed', async () => {
    const { gateway, mock, newestFirst } = await library(5);
    const page = await gateway.materials.list({ limit: 2 });
    const yielded: [id: string, requestCount: number][] = [];
    for await (const { id } of page) yielded.push([id, mock.requests.length]);
    expect(yielded.map(([id]) => id)).toEqual(newestFirst);
    expect(yielded.map(([, requestCount]) => requestCount)).toEqual([1, 1, 2, 2, 3]);
  });

  test('are no longer fetched after a break', async () => {
    const { gateway, mock, newestFirst } = await library(5);
    for await (const { id } of await gateway.materials.list({ limit: 2 })) {
      expect(id).toBe(newestFirst[0]);
      break;
    }
    expect(mock.requests).toHaveLength(1);
  });

  test('can be iterated twice, and from any page', async () => {
    const { gateway, newestFirst } = await library(4);
    const page = await gateway.materials.list({ limit: 3 });
    expect(await collect(page)).toEqual(await collect(page));
    const rest = await page.nextPage();
    expect((await collect<{ id: string }>(rest as MaterialPage)).map(({ id }) => id)).toEqual(
      newestFirst.slice(3),
    );
  });

  test('of an empty library consist of one page without materials', async () => {
    const { gateway, mock } = onMock();
    const page = await gateway.materials.list();
    expect(page).toMatchObject({ data: [], has_more: false });
    expect(await collect(page)).toEqual([]);
    expect(await page.nextPage()).toBeNull();
    expect(mock.requests).toHaveLength(1);
  });

  test.each([
    ['null', { has_more: false, next_cursor: null }],
    ['absent', { has_more: false }],
    ['present although there are no more pages', { has_more: false, next_cursor: 'c_9' }],
    ['missing although there are more pages', { has_more: true }],
    ['empty although there are more pages', { has_more: true, next_cursor: '' }],
  ])('end if the cursor is %s', async (_, end) => {
    const { fetch, sent } = scripted(jsonReply(200, { object: 'material.list', data: [], ...end }));
    const page = await clientOf(fetch).materials.list();
    expect(await page.nextPage()).toBeNull();
    expect(await collect(page)).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  test('that cannot be fetched end the loop with their error', async () => {
    const { gateway, mock } = await library(3);
    const page = await gateway.materials.list({ limit: 2 });
    mock.fail({ route: 'GET /v1/materials', status: 400, code: 'invalid_material_cursor' });
    const error = await rejection(BadRequestError, collect(page));
    expect(error.code).toBe('invalid_material_cursor');
  });

  test('are serialized as plain records, without their methods', async () => {
    const page = await onMock().gateway.materials.list();
    const plain = { object: 'material.list', data: [], has_more: false, next_cursor: null };
    expect(JSON.parse(JSON.stringify(page))).toEqual(plain);
    expect(Object.keys(page)).toEqual(Object.keys(plain));
  });
});

describe('a list that differs from the documentation', () => {
  test('is returned unchanged', async () => {
    const body = { data: [{ id: 'mat_1', status: 'resting' }], has_more: 'no', total: 7 };
    const gateway = clientOf(scripted(jsonReply(200, body)).fetch);
    expect(await gateway.materials.list()).toMatchObject(body);
  });

  test.each([
    ['no data', { has_more: false }],
    ['a material without an id', { data: [{ status: 'available' }] }],
    ['a cursor that is a number', { data: [], has_more: true, next_cursor: 7 }],
  ])(
    'is rejected with body and meta if a field that the client needs is invalid: %s',
    async (_, body) => {
      const gateway = clientOf(scripted(jsonReply(200, body)).fetch);
      const error = await rejection(
        ResponseValidationError,
        Promise.resolve(gateway.materials.list()),
      );
      expect(error).toMatchObject({ body, meta: { status: 200 } });
    },
  );
});
