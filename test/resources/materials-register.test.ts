import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  ConfigurationError,
  MaterialFailedError,
  MaterialWaitTimeoutError,
  parseMaterialCallback,
} from '../../src/index.ts';
import type { MaterialUpdate, Verification } from '../../src/index.ts';
import { onMock, thrown, turns } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';

const source = { url: 'https://files.example/ann.png', type: 'image' as const };
const callback = 'https://app.example/back?secret=1';
const real = {
  ...source,
  real_person: { consent_confirmed: true as const, callback_url: callback },
};

describe('materials.register()', () => {
  test('creates, waits and resolves to the available material', async () => {
    const { gateway, mock } = onMock();
    const updates: string[] = [];
    const ready = await mock.clock.settle(
      gateway.materials.register(source, {
        idempotencyKey: 'ann-1',
        onUpdate: ({ status }) => updates.push(status),
        onVerification: () => expect.unreachable('no verification is needed'),
      }),
    );
    expect(ready).toMatchObject({ status: 'available', name: 'ann.png' });
    expect(mock.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/materials',
      body: source,
      headers: { 'idempotency-key': 'ann-1' },
    });
    expect(mock.requests.at(-1)?.path).toBe(`/v1/materials/${ready.id}`);
    expect(updates.at(-1)).toBe('available');
  });

  test('keeps its generated key across retries of the create request', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/materials', reset: 'after', times: 1 });
    await mock.clock.settle(gateway.materials.register(source));
    const keys = mock.requests.slice(0, 2).map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[!-~]{1,200}$/);
    expect(keys[1]).toBe(keys[0]);
    expect((await gateway.materials.list()).data).toHaveLength(1);
  });

  test('rejects with the material if the file fails', async () => {
    const { gateway, mock } = onMock({ materials: { outcome: 'failed' } });
    const error = await rejection(
      MaterialFailedError,
      mock.clock.settle(gateway.materials.register(source)),
    );
    expect(error.material).toMatchObject({ status: 'failed', uri: null });
    expect(mock.requests.at(-1)?.path).toBe(`/v1/materials/${error.material?.id}`);
  });

  test('rejects at its deadline with the material, which can be waited for again', async () => {
    const { gateway, mock } = onMock({ materials: { durationMs: 60_000 } });
    const register = gateway.materials.register(source, { waitTimeout: 10_000 });
    const error = await rejection(MaterialWaitTimeoutError, mock.clock.settle(register));
    const { id = '' } = error.material ?? {};
    expect(await mock.clock.settle(gateway.materials.wait(id))).toMatchObject({ id });
  });

  test('rejects on an abort, and the material continues', async () => {
    const { gateway, mock } = onMock();
    const stop = new AbortController();
    const register = gateway.materials.register(source, { signal: stop.signal });
    const aborted = rejection(AbortedError, register);
    await mock.clock.advance(1_000);
    stop.abort(new Error('the user left'));
    await aborted;
    await mock.clock.advance(10_000);
    expect((await gateway.materials.list({ status: 'available' })).data).toHaveLength(1);
  });

  test('returns the create response together with the material', async () => {
    const { gateway, mock } = onMock();
    const register = gateway.materials.register(source).withResponse();
    const { data, meta } = await mock.clock.settle(register);
    expect(meta).toMatchObject({ status: 202, idempotentReplay: false });
    expect(data.status).toBe('available');
  });
});

describe('a material that shows a real person', () => {
  const startRegistration = async (options: { waitTimeout?: number } = {}) => {
    const { gateway, mock } = onMock();
    const updates: MaterialUpdate[] = [];
    const verifications: Verification[] = [];
    const registered = gateway.materials.register(real, {
      ...options,
      onVerification: (verification) => verifications.push(verification),
      onUpdate: (update) => updates.push(update),
    });
    const outcome = Promise.resolve(registered);
    outcome.catch(() => undefined);
    await turns(10);
    expect(verifications).toHaveLength(1);
    const [verification = { url: '' }] = verifications;
    return { gateway, mock, updates, outcome, verification };
  };

  test('calls onVerification once, and becomes available after verification', async () => {
    const { mock, updates, outcome, verification } = await startRegistration();
    expect(verification).toEqual({
      url: expect.stringMatching(/^https:\/\//),
      expiresAt: '2026-05-01T00:30:00.000Z',
    });
    await mock.clock.advance(20_000);
    expect(new Set(updates.map(({ status }) => status))).toEqual(new Set(['verification_pending']));
    const page = await mock.fetch(verification.url);
    expect(page.status).toBe(302);
    const location = page.headers.get('location') ?? '';
    const ready = await mock.clock.settle(outcome);
    expect(new URL(location).origin).toBe('https://app.example');
    expect(parseMaterialCallback(location)).toEqual({
      materialId: ready.id,
      materialStatus: 'processing',
    });
    expect(ready).toMatchObject({ status: 'available', uri: expect.stringMatching(/^asset:/) });
    expect(updates.map(({ status }) => status)).toContain('processing');
  });

  test('ends the wait with verification_failed if the verification fails', async () => {
    const { mock, outcome, verification } = await startRegistration();
    const page = await mock.fetch(`${verification.url}?outcome=failed`);
    const error = await rejection(MaterialFailedError, mock.clock.settle(outcome));
    expect(error.material?.status).toBe('verification_failed');
    expect(parseMaterialCallback(page.headers.get('location') ?? '')).toEqual({
      materialId: error.material?.id,
      materialStatus: 'verification_failed',
    });
  });

  test('ends the wait with verification_expired if the page is never opened', async () => {
    const { mock, outcome } = await startRegistration({ waitTimeout: 3_600_000 });
    const since = mock.clock.now();
    const error = await rejection(MaterialFailedError, mock.clock.settle(outcome));
    expect(error.material?.status).toBe('verification_expired');
    expect(mock.clock.now() - since).toBeGreaterThanOrEqual(1_800_000);
  });

  test('is verified even if the redirect is lost', async () => {
    const { mock, outcome, verification } = await startRegistration();
    await (await mock.fetch(verification.url)).body?.cancel();
    expect(await mock.clock.settle(outcome)).toMatchObject({ status: 'available' });
  });

  test('has a verification page only in the create response and its replay', async () => {
    const { gateway } = onMock();
    const options = { idempotencyKey: 'ann-1' };
    const created = await gateway.materials.create(real, options);
    const again = await gateway.materials.create(real, options);
    expect(created).toMatchObject({
      status: 'verification_pending',
      verification_url: expect.any(String),
      verification_expires_at: '2026-05-01T00:30:00.000Z',
    });
    expect(again.verification_url).toBe(created.verification_url);
    const { data } = await gateway.materials.list();
    for (const record of [await gateway.materials.retrieve(created.id), ...data]) {
      expect(record).not.toHaveProperty('verification_url');
      expect(record).not.toHaveProperty('verification_expires_at');
    }
  });

  test('can be a video as well', async () => {
    const { gateway } = onMock();
    const created = await gateway.materials.create({ ...real, type: 'video' });
    expect(created.status).toBe('verification_pending');
  });

  test('never logs its verification URL or callback URL', async () => {
    const lines: string[] = [];
    const log = (...parts: unknown[]) => void lines.push(parts.map(String).join(' '));
    const logger = { error: log, warn: log, info: log, debug: log };
    const { gateway, mock } = onMock({}, { logger, logLevel: 'debug' });
    mock.fail({ route: 'POST /v1/materials', status: 503, times: 1 });
    let url = '';
    const onVerification = (verification: Verification) => {
      ({ url } = verification);
      throw new Error('the callback is broken');
    };
    const registered = gateway.materials.register(real, {
      onVerification,
      waitTimeout: 3_600_000,
    });
    const failed = rejection(MaterialFailedError, mock.clock.settle(Promise.resolve(registered)));
    const error = await failed;
    await turns();
    expect(url).toMatch(/^https:/);
    expect(lines.join('\n')).toContain('the callback is broken');
    const output = [
      ...lines,
      error.message,
      error.stack ?? '',
      JSON.stringify(error.material),
    ].join();
    expect(output).not.toContain(url);
    expect(output).not.toContain('app.example');
    expect(output).not.toContain(source.url);
  });
});

describe('parseMaterialCallback()', () => {
  const statuses = ['creating', 'processing', 'available', 'verification_failed', 'resting'];

  test.each(statuses)('reads the status %s', (materialStatus) => {
    const query = `?material_id=mat_1&material_status=${materialStatus}`;
    const expected = { materialId: 'mat_1', materialStatus };
    expect(parseMaterialCallback(`https://app.example/back${query}`)).toEqual(expected);
    expect(parseMaterialCallback(new URL(query, 'https://app.example/'))).toEqual(expected);
    expect(parseMaterialCallback(`/back${query}`)).toEqual(expected);
  });

  test.each([
    ['no parameter', 'https://app.example/back'],
    ['no status', 'https://app.example/back?material_id=mat_1'],
    ['no id', 'https://app.example/back?material_status=available'],
    ['an empty id', 'https://app.example/?material_id=&material_status=available'],
    ['an empty status', 'https://app.example/?material_id=mat_1&material_status='],
    ['an additional parameter', 'https://app.example/?material_id=a&material_status=b&token=c'],
    ['a parameter twice', 'https://app.example/?material_id=a&material_id=b&material_status=c'],
    ['its parameters in the fragment', 'https://app.example/#?material_id=a&material_status=b'],
    ['nothing', ''],
    ['an invalid URL', 'http://['],
  ])('rejects a URL with %s, and does not quote it', (_, url) => {
    const error = thrown(() => parseMaterialCallback(url));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).not.toContain('app.example');
  });
});
