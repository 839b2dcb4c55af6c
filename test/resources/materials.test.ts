import { describe, expect, test } from 'vitest';

import { ConfigurationError, NotFoundError, ResponseValidationError } from '../../src/index.ts';
import type { MaterialCreateParams, Polygate } from '../../src/index.ts';
import { jsonReply, clientOf, onMock, scripted } from '../client/support.ts';
import { records } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

const source = { url: 'https://files.example/quay.png', type: 'image' as const };
const person = {
  consent_confirmed: true as const,
  callback_url: 'https://app.example/back',
};
const allFields: MaterialCreateParams = { ...source, name: 'The quay', real_person: person };

describe('a material', () => {
  test.each(rows(records.Material))('returns %s', async (_, field) => {
    const read = async () => {
      const { gateway, mock } = onMock();
      const created = await gateway.materials.create(allFields);
      const { id } = await gateway.materials.create(source);
      await mock.clock.advance(4_000);
      return { created, available: await gateway.materials.retrieve(id), gateway, id };
    };
    const one = await read();
    const other = await read();
    const wire = await other.gateway.materials.retrieve(other.id).asResponse();
    const dates = { ...bodies.material, created_at: null };
    const undated = clientOf(scripted(jsonReply(200, dates)).fetch);
    expect(
      difference(field, [
        { read: one.created, sent: other.created },
        { read: one.available, sent: await wire.json() },
        ...(field.name === 'created_at'
          ? [{ read: await undated.materials.retrieve('mat_1'), sent: dates }]
          : []),
      ]),
    ).toBeUndefined();
  });

  test('never contains its source URL, nor its verification details after the create response', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(allFields);
    const text = await (await gateway.materials.retrieve(id).asResponse()).text();
    for (const secret of [source.url, 'verification_url', 'verify', person.callback_url, 'sk-']) {
      expect(text).not.toContain(secret);
    }
    expect(mock.requests.at(-1)).toMatchObject({ method: 'GET', path: `/v1/materials/${id}` });
  });

  test('is not visible to other users', async () => {
    const keys = [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ];
    const { gateway } = onMock({ keys });
    const { id } = await gateway.materials.create(source);
    const otherUser = gateway.withOptions({ apiKey: 'sk-b' });
    const calls = [
      () => otherUser.materials.retrieve(id),
      () => otherUser.materials.delete(id),
      () => otherUser.materials.retrieve('mat_unknown'),
    ];
    for (const call of calls) {
      const error = await rejection(NotFoundError, Promise.resolve(call()));
      expect(error.code).toBe('material_not_found');
    }
    expect((await otherUser.materials.list()).data).toEqual([]);
  });

  test.each([['', '..', 'a\\b', 'a/../b']])(
    'rejects ids that would change the path',
    async (...ids) => {
      const { gateway, mock } = onMock();
      const { materials } = gateway;
      for (const id of ids) {
        await rejection(ConfigurationError, Promise.resolve(materials.retrieve(id)));
        await rejection(ConfigurationError, Promise.resolve(materials.delete(id)));
        await rejection(ConfigurationError, materials.wait(id));
      }
      expect(mock.requests).toEqual([]);
    },
  );
});

describe('a record that differs from the documentation', () => {
  const unexpected = { id: 'mat_1', status: 'resting', type: 'hologram', mood: 'calm', name: 7 };

  test('is returned unchanged', async () => {
    const gateway = clientOf(scripted(jsonReply(200, unexpected)).fetch);
    expect(await gateway.materials.retrieve('mat_1')).toEqual(unexpected);
    expect(await gateway.materials.create(source)).toEqual(unexpected);
  });

  test.each([
    ['an id that is a number', { ...unexpected, id: 7 }],
    ['no status', { ...unexpected, status: undefined }],
    ['a status that is a number', { ...unexpected, status: 1 }],
    ['a uri that is not a string', { ...unexpected, uri: { asset: 1 } }],
  ])(
    'is rejected with body and meta if a field that the client needs is invalid: %s',
    async (_, body) => {
      const gateway = clientOf(scripted(jsonReply(200, body, { 'x-request-id': 'req-1' })).fetch);
      const calls: ((client: Polygate) => PromiseLike<unknown>)[] = [
        (client) => client.materials.retrieve('mat_1'),
        (client) => client.materials.delete('mat_1'),
        (client) => client.materials.create(source),
      ];
      for (const call of calls) {
        const failed = Promise.resolve(call(gateway));
        const error = await rejection(ResponseValidationError, failed);
        expect(error.body).toEqual(JSON.parse(JSON.stringify(body)));
        expect(error.meta).toMatchObject({ status: 200, requestId: 'req-1' });
      }
    },
  );
});
