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
import { onMock } from '../core/support.ts';
import { requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const source = { url: 'https://files.example/quay.png', type: 'image' as const };
const person = {
  consent_confirmed: true as const,
  callback_url: 'https://app.example/back',
};
const whole: MaterialCreateParams = { ...source, name: 'The quay', real_person: person };
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

  test.each(rows(requests['Material create body']))('sends %s as given', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.materials.create(whole);
    expect(difference(field, [{ read: mock.requests[0]?.body, sent: whole }])).toBeUndefined();
    expect(mock.requests[0]?.body).toEqual(whole);
  });

  const faults: [string, Fault][] = [
    ['a connection that drops before it arrived', { reset: 'before' }],
    ['a connection that drops after it arrived', { reset: 'after' }],
    ['a 500 after it was handled', { status: 500, handled: true }],
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
    ['an answer that breaks off', { truncateBody: 20 }],
  ];

  test.each(faults)('keeps its key through %s, and makes one material', async (_, fault) => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/materials', ...fault, times: 2 });
    await mock.clock.settle(gateway.materials.create(source));
    const keys = mock.requests.map(keyOf);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toBeTruthy();
    expect((await gateway.materials.list()).data).toHaveLength(1);
  });

  test('makes another key for the next call', async () => {
    const { gateway, mock } = onMock();
    const first = await gateway.materials.create(source);
    const second = await gateway.materials.create(source);
    expect(new Set(mock.requests.map(keyOf)).size).toBe(2);
    expect(second.id).not.toBe(first.id);
  });

  test.each([
    ['material_create_outcome_uncertain'],
    ['visual_verification_create_outcome_uncertain'],
  ])('that stays uncertain tells so, with the key to ask again: %s', async (code) => {
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

  test('that gets no answer at all is a ConnectionError with the key', async () => {
    const { gateway, mock } = onMock({}, { maxRetries: 0 });
    mock.fail({ route: 'POST /v1/materials', reset: 'after' });
    const create = Promise.resolve(gateway.materials.create(source));
    const error = await rejection(ConnectionError, create);
    expect(error.outcome).toBe('unknown');
    expect(error.idempotencyKey).toBe(mock.requests[0]?.headers['idempotency-key']);
  });

  test('under a key that was used returns the same material', async () => {
    const { gateway } = onMock();
    const options = { idempotencyKey: 'quay-1' };
    const first = await gateway.materials.create(source, options).withResponse();
    const again = await gateway.materials.create(source, options).withResponse();
    expect(again.data.id).toBe(first.data.id);
    expect([first, again].map(({ meta }) => meta.idempotentReplay)).toEqual([false, true]);
  });

  test('with the key of another request is a conflict that is not repeated', async () => {
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
  ])('takes a key of %s', async (_, idempotencyKey) => {
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
    ['a letter that is no ASCII', 'clé'],
  ])('refuses a key with %s before the network', async (_, idempotencyKey) => {
    const { gateway, mock } = onMock();
    const create = gateway.materials.create(source, { idempotencyKey });
    const error = await rejection(ConfigurationError, Promise.resolve(create));
    expect(error.message).toContain('idempotencyKey');
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['no url', { type: 'image' }, 'url'],
    ['a file address', { ...source, url: 'file:///quay.png' }, 'url'],
    ['a data URL', { ...source, url: 'data:image/png;base64,AAAA' }, 'url'],
    ['a material', { ...source, url: 'asset://quay' }, 'url'],
    ['no type', { url: source.url }, 'type'],
    ['a type that nobody documents', { ...source, type: 'text' }, 'type'],
    ['a name that is no text', { ...source, name: 7 }, 'name'],
    ['no consent', { ...source, real_person: { ...person, consent_confirmed: false } }, 'consent'],
    [
      'consent as text',
      { ...source, real_person: { ...person, consent_confirmed: 'true' } },
      'consent',
    ],
    ['no callback', { ...source, real_person: { consent_confirmed: true } }, 'callback_url'],
    ['a real person in a sound', { ...source, type: 'audio', real_person: person }, 'real_person'],
  ])('refuses %s before the network, and quotes no address', async (_, params, field) => {
    const { gateway, mock } = onMock();
    const untyped = params as MaterialCreateParams;
    for (const call of ['create', 'register'] as const) {
      const made = Promise.resolve<unknown>(gateway.materials[call](untyped));
      const error = await rejection(ConfigurationError, made);
      expect(error.message).toContain(field);
      expect(error.message).not.toMatch(/quay|app\.example/);
    }
    expect(mock.requests).toEqual([]);
  });

  const refused: [code: string, body: object, key: string | undefined][] = [
    ['invalid_idempotency_key', source, undefined],
    ['invalid_material_request', { ...source, url: 'http://127.0.0.1/quay.png' }, 'k'],
    ['invalid_material_request', { ...source, url: 'https://192.168.1.2/quay.png' }, 'k'],
    ['invalid_material_request', { ...source, type: 'text' }, 'k'],
    [
      'visual_verification_consent_required',
      { ...source, real_person: { ...person, consent_confirmed: false } },
      'k',
    ],
    ['invalid_visual_verification_request', { ...whole, type: 'audio' }, 'k'],
    [
      'invalid_visual_verification_request',
      { ...source, real_person: { consent_confirmed: true, callback_url: 'ftp://x' } },
      'k',
    ],
  ];

  test.each(refused)(
    'what the service refuses is a 400 with its code: %s',
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
