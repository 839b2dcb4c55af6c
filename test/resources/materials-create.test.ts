import { describe, expect, test } from 'vitest';

import {
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  ServiceUnavailableError,
} from '../../src/index.ts';
import type { MaterialCreateParams } from '../../src/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import { onMock } from '../client/support.ts';
import { requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const source = { url: 'https://files.example/quay.png', type: 'image' as const };
const person = {
  consent_confirmed: true as const,
  callback_url: 'https://app.example/back',
};
const allFields: MaterialCreateParams = { ...source, name: 'The quay', real_person: person };
const keyOf = ({ headers }: { headers: Record<string, string> }) => headers['idempotency-key'];

describe('materials.create()', () => {
  test('posts to /v1/materials with the key that the service requires', async () => {
    const { gateway, mock } = onMock();
    const { data, response } = await gateway.materials.create(source).withResponse();
    expect(response.status).toBe(202);
    expect(data).toMatchObject({ status: 'processing', uri: null, name: 'quay.png' });
    expect(data.id).toMatch(/^mat_/);
    expect(mock.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/materials',
        search: '',
        body: source,
        headers: {
          authorization: `Bearer ${mock.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': expect.stringMatching(/^[!-~]{1,200}$/),
        },
      },
    ]);
    expect(mock.requests[0]?.headers).not.toHaveProperty('x-idempotency-key');
    expect(mock.invoice).toEqual([]);
  });

  test.each(rows(requests['Material create body']))('sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.materials.create(allFields);
    expect(difference(field, [{ read: mock.requests[0]?.body, sent: allFields }])).toBeUndefined();
    expect(mock.requests[0]?.body).toEqual(allFields);
  });

  const faults: [string, Fault][] = [
    ['a reset before the request was processed', { reset: 'before' }],
    ['a reset after the request was processed', { reset: 'after' }],
    ['a 500 after the request was processed', { status: 500, handled: true }],
    ['a 503', { status: 503 }],
    ['a 503 material_channel_unavailable', { status: 503, code: 'material_channel_unavailable' }],
    [
      'a 503 material_create_outcome_uncertain',
      { status: 503, code: 'material_create_outcome_uncertain', handled: true },
    ],
    [
      'a 503 visual_verification_create_outcome_uncertain',
      { status: 503, code: 'visual_verification_create_outcome_uncertain', handled: true },
    ],
    ['a truncated response', { truncateBody: 20 }],
  ];

  test.each(faults)('keeps its key through %s, and creates one material', async (_, fault) => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/materials', ...fault, times: 2 });
    await mock.clock.settle(gateway.materials.create(source));
    const keys = mock.requests.map(keyOf);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toBeTruthy();
    expect((await gateway.materials.list()).data).toHaveLength(1);
  });

  test('generates another key for the next call', async () => {
    const { gateway, mock } = onMock();
    const first = await gateway.materials.create(source);
    const second = await gateway.materials.create(source);
    expect(new Set(mock.requests.map(keyOf)).size).toBe(2);
    expect(second.id).not.toBe(first.id);
  });

  test.each([
    ['material_create_outcome_uncertain'],
    ['visual_verification_create_outcome_uncertain'],
  ])('exposes the key to retry with if the outcome stays uncertain: %s', async (code) => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/materials', status: 503, code, handled: true });
    const create = mock.clock.settle(gateway.materials.create(source));
    const error = await rejection(ServiceUnavailableError, create);
    expect(error.code).toBe(code);
    expect(error.outcome).not.toBe('rejected');
    expect(error.idempotencyKey).toBe(mock.requests[0]?.headers['idempotency-key']);
    expect(mock.requests).toHaveLength(4);
    mock.clearFaults();
    const { idempotencyKey } = error;
    const { meta } = await gateway.materials.create(source, { idempotencyKey }).withResponse();
    expect(meta.idempotentReplay).toBe(true);
  });

  test('rejects with ConnectionError and the key if there is no response', async () => {
    const { gateway, mock } = onMock({}, { maxRetries: 0 });
    mock.fail({ route: 'POST /v1/materials', reset: 'after' });
    const create = Promise.resolve(gateway.materials.create(source));
    const error = await rejection(ConnectionError, create);
    expect(error.outcome).toBe('unknown');
    expect(error.idempotencyKey).toBe(mock.requests[0]?.headers['idempotency-key']);
  });

  test('returns the same material for a key that was used', async () => {
    const { gateway } = onMock();
    const options = { idempotencyKey: 'quay-1' };
    const first = await gateway.materials.create(source, options).withResponse();
    const again = await gateway.materials.create(source, options).withResponse();
    expect(again.data.id).toBe(first.data.id);
    expect([first, again].map(({ meta }) => meta.idempotentReplay)).toEqual([false, true]);
  });

  test('rejects the key of another request as a conflict and does not retry', async () => {
    const { gateway, mock } = onMock();
    await gateway.materials.create(source, { idempotencyKey: 'quay-1' });
    const other = { ...source, name: 'Another' };
    const create = gateway.materials.create(other, { idempotencyKey: 'quay-1' });
    const error = await rejection(ConflictError, Promise.resolve(create));
    expect(error).toMatchObject({ status: 409, code: 'material_idempotency_conflict' });
    expect(mock.requests).toHaveLength(2);
  });

  test.each([
    ['one character', '!'],
    ['200 characters', '~'.repeat(200)],
  ])('accepts a key of %s', async (_, idempotencyKey) => {
    const { gateway, mock } = onMock();
    await gateway.materials.create(source, { idempotencyKey });
    expect(mock.requests[0]).toMatchObject({ status: 202 });
    expect(mock.requests.map(keyOf)).toEqual([idempotencyKey]);
  });

  test.each([
    ['no character', ''],
    ['201 characters', 'k'.repeat(201)],
    ['a space', 'a b'],
    ['a control character', 'a\u0007b'],
    ['a line break', 'a\r\nb'],
    ['a letter that is not ASCII', 'clé'],
  ])('rejects a key with %s before sending a request', async (_, idempotencyKey) => {
    const { gateway, mock } = onMock();
    const create = gateway.materials.create(source, { idempotencyKey });
    const error = await rejection(ConfigurationError, Promise.resolve(create));
    expect(error.message).toContain('idempotencyKey');
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['no url', { type: 'image' }, 'url'],
    ['a file URL', { ...source, url: 'file:///quay.png' }, 'url'],
    ['a data URL', { ...source, url: 'data:image/png;base64,AAAA' }, 'url'],
    ['a material', { ...source, url: 'asset://quay' }, 'url'],
    ['no type', { url: source.url }, 'type'],
    ['an undocumented type', { ...source, type: 'text' }, 'type'],
    ['a name that is not a string', { ...source, name: 7 }, 'name'],
    ['no consent', { ...source, real_person: { ...person, consent_confirmed: false } }, 'consent'],
    [
      'consent given as a string',
      { ...source, real_person: { ...person, consent_confirmed: 'true' } },
      'consent',
    ],
    ['no callback', { ...source, real_person: { consent_confirmed: true } }, 'callback_url'],
    [
      'a real person in an audio file',
      { ...source, type: 'audio', real_person: person },
      'real_person',
    ],
  ])('rejects %s before sending a request, and quotes no URL', async (_, params, field) => {
    const { gateway, mock } = onMock();
    const untyped = params as MaterialCreateParams;
    for (const call of ['create', 'register'] as const) {
      const promise = Promise.resolve<unknown>(gateway.materials[call](untyped));
      const error = await rejection(ConfigurationError, promise);
      expect(error.message).toContain(field);
      expect(error.message).not.toMatch(/quay|app\.example/);
    }
    expect(mock.requests).toEqual([]);
  });

  const rejected: [code: string, body: object, key: string | undefined][] = [
    ['invalid_idempotency_key', source, undefined],
    ['invalid_material_request', { ...source, url: 'http://127.0.0.1/quay.png' }, 'k'],
    ['invalid_material_request', { ...source, url: 'https://192.168.1.2/quay.png' }, 'k'],
    ['invalid_material_request', { ...source, type: 'text' }, 'k'],
    [
      'visual_verification_consent_required',
      { ...source, real_person: { ...person, consent_confirmed: false } },
      'k',
    ],
    ['invalid_visual_verification_request', { ...allFields, type: 'audio' }, 'k'],
    [
      'invalid_visual_verification_request',
      { ...source, real_person: { consent_confirmed: true, callback_url: 'ftp://x' } },
      'k',
    ],
  ];

  test.each(rejected)(
    'throws the code of a request that the service rejects with 400: %s',
    async (code, body, key) => {
      const { gateway, mock } = onMock();
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const call = gateway.request({ method: 'POST', path: '/v1/materials', body }, { headers });
      const error = await rejection(BadRequestError, Promise.resolve(call));
      expect(error).toMatchObject({ status: 400, code, type: 'invalid_request_error' });
      expect(mock.requests).toHaveLength(1);
    },
  );
});
