import { describe, expect, test, vi } from 'vitest';

import {
  AbortedError,
  ConfigurationError,
  MaterialFailedError,
  MaterialWaitTimeoutError,
  NotFoundError,
  ResponseValidationError,
} from '../../src/index.ts';
import type { MaterialUpdate } from '../../src/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import { jsonReply, clientOf, onMock, scripted, virtualClock } from '../client/support.ts';
import { states } from '../coverage/specification.ts';
import { collect, rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

const source = { url: 'https://files.example/quay.png', type: 'image' as const };
const person = { consent_confirmed: true as const, callback_url: 'https://app.example/back' };
const poll = 'GET /v1/materials/{material_id}';
const hours = 60 * 60 * 1000;

describe('materials.wait()', () => {
  test('polls the material until it is available, and resolves to it with its uri', async () => {
    const { gateway, mock } = onMock({ materials: { durationMs: 20_000 } });
    const { id } = await gateway.materials.create(source);
    const ready = await mock.clock.settle(gateway.materials.wait(id));
    expect(ready).toMatchObject({ id, status: 'available' });
    expect(ready.uri).toMatch(/^asset:\/\/./);
    expect(new Set(mock.requests.slice(1).map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set([`GET /v1/materials/${id}`]),
    );
  });

  test.each([0, 1])('polls every 3 to 5 seconds with a random value of %d', async (random) => {
    const { gateway, mock } = onMock(
      { materials: { durationMs: 120_000 } },
      { random: () => random },
    );
    await mock.clock.settle(gateway.materials.register(source));
    const times = mock.requests.map(({ at }) => at);
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(delays.length).toBeGreaterThan(15);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
  });

  test('follows other poll intervals', async () => {
    const { gateway, mock } = onMock({ materials: { durationMs: 3_000 } });
    const { id } = await gateway.materials.create(source);
    const pollTiming = { pollInterval: 500, maxPollInterval: 500 };
    await mock.clock.settle(gateway.materials.wait(id, pollTiming));
    expect(mock.requests.length).toBeGreaterThanOrEqual(7);
  });

  test('reports each poll to onUpdate and updates()', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(source);
    const updates: string[] = [];
    const onUpdate = ({ status }: MaterialUpdate) => updates.push(status);
    await mock.clock.settle(gateway.materials.wait(id, { onUpdate }));
    expect(updates).toEqual(['processing', 'processing', 'available'].slice(-updates.length));
    const again = await gateway.materials.create({ ...source, name: 'Another' });
    const seen = await mock.clock.settle(collect(gateway.materials.updates(again.id)));
    expect(seen.map(({ status }) => status)).toEqual(updates);
    expect(seen.at(-1)?.uri).toMatch(/^asset:/);
  });

  const outages: [string, Fault][] = [
    ['503', { status: 503 }],
    ['500', { status: 500 }],
    ['429', { status: 429, code: 'rate_limited' }],
    ['connection resets', { reset: 'before' }],
    ['refused connections', { unreachable: true }],
    ['200 responses that are not JSON', { malformed: true }],
    ['two 404s', { status: 404, code: 'material_not_found', times: 2 }],
  ];

  test.each(outages)('continues through an outage of %s', async (_, fault) => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(source);
    const outage = mock.fail({ route: poll, times: 20, ...fault });
    const updates: MaterialUpdate[] = [];
    const onUpdate = (update: MaterialUpdate) => updates.push(update);
    const params = { ...source, name: 'Another' };
    await mock.clock.settle(gateway.materials.register(params, { onUpdate }));
    expect(updates.filter(({ pollError }) => pollError !== undefined)).toHaveLength(
      outage.affectedRequests,
    );
    expect(updates[0]).toMatchObject({ status: 'processing', pollError: expect.any(Error) });
    expect(outage.affectedRequests).toBe(fault.times ?? 20);
    expect(await mock.clock.settle(gateway.materials.wait(id))).toMatchObject({ id });
  });

  test.each([
    ['failed', 'failed'],
    ['verification_failed', 'verification_failed'],
    ['verification_expired', 'verification_expired'],
    ['delete_pending', 'delete_pending'],
    ['deleted', 'deleted'],
  ])('ends at %s with MaterialFailedError', async (_, status) => {
    const record = { ...bodies.material, status, uri: null };
    const clock = virtualClock();
    const { fetch, sent } = scripted(jsonReply(200, record));
    const waiting = clock.settle(clientOf(fetch, { clock }).materials.wait('mat_1'));
    const error = await rejection(MaterialFailedError, waiting);
    expect(error).toMatchObject({ name: 'MaterialFailedError', material: record });
    expect(error.message).toContain(status);
    expect(sent).toHaveLength(1);
  });

  test('continues through creating, verification_pending, processing and unknown statuses', async () => {
    const statuses = [
      'creating',
      'verification_pending',
      'processing',
      'resting',
      'available',
    ] as const;
    const [first, ...others] = statuses.map((status) => {
      const uri = status === 'available' ? 'asset://quay' : null;
      return jsonReply(200, { ...bodies.material, status, uri });
    });
    const clock = virtualClock();
    const { fetch } = scripted(first ?? jsonReply(500, {}), ...others);
    const { materials } = clientOf(fetch, { clock });
    const seen = await clock.settle(collect(materials.updates('mat_1')));
    expect(seen.map(({ status }) => status)).toEqual(statuses);
  });

  test('updates() ends after the failed update, without throwing', async () => {
    const { gateway, mock } = onMock({ materials: { outcome: 'failed' } });
    const { id } = await gateway.materials.create(source);
    const seen = await mock.clock.settle(collect(gateway.materials.updates(id)));
    expect(seen.at(-1)).toMatchObject({ id, status: 'failed', uri: null });
    await rejection(MaterialFailedError, mock.clock.settle(gateway.materials.wait(id)));
  });

  test('ends at its deadline with MaterialWaitTimeoutError, and can be repeated', async () => {
    const { gateway, mock } = onMock({ materials: { durationMs: 60_000 } });
    const { id } = await gateway.materials.create(source);
    const since = mock.clock.now();
    const waiting = mock.clock.settle(gateway.materials.wait(id, { waitTimeout: 10_000 }));
    const error = await rejection(MaterialWaitTimeoutError, waiting);
    expect(mock.clock.now() - since).toBe(10_000);
    expect(error.material).toMatchObject({ id, status: 'processing' });
    expect(await mock.clock.settle(gateway.materials.wait(id))).toMatchObject({ id });
  });

  test('ends immediately on an abort, and deletes nothing', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(source);
    const stop = new AbortController();
    const waiting = rejection(AbortedError, gateway.materials.wait(id, { signal: stop.signal }));
    await mock.clock.advance(1_000);
    const reason = new Error('the user left');
    stop.abort(reason);
    expect((await waiting).cause).toBe(reason);
    expect(mock.requests.map(({ method }) => method)).not.toContain('DELETE');
    expect(await mock.clock.settle(gateway.materials.wait(id))).toMatchObject({ id });
  });

  test('ends at the third consecutive 404', async () => {
    const { gateway, mock } = onMock();
    const waiting = mock.clock.settle(gateway.materials.wait('mat_unknown'));
    const error = await rejection(NotFoundError, waiting);
    expect(error.code).toBe('material_not_found');
    expect(mock.requests).toHaveLength(3);
  });

  test('does not treat available without a uri as a success', async () => {
    const record = { ...bodies.material, uri: null };
    const clock = virtualClock();
    const { fetch, sent } = scripted(jsonReply(200, record));
    const { materials } = clientOf(fetch, { clock });
    const error = await clock.settle(rejection(Error, materials.wait('mat_1')));
    const errorClasses = [ResponseValidationError, MaterialFailedError];
    expect(errorClasses.some((errorClass) => error instanceof errorClass)).toBe(true);
    expect(sent).toHaveLength(1);
  });
});

describe('material statuses', () => {
  test.each(states['Material status'])('returns the status %s unchanged', async (status) => {
    const record = { ...bodies.material, status };
    const { materials } = clientOf(scripted(jsonReply(200, record)).fetch);
    expect((await materials.retrieve('mat_1')).status).toBe(status);
    expect((await materials.delete('mat_1')).status).toBe(status);
  });

  test('a material is processing, then available with its dates, and archived after two hours', async () => {
    const { gateway, mock } = onMock();
    const { id, status } = await gateway.materials.create(source);
    expect(status).toBe('processing');
    await mock.clock.advance(4_000);
    expect(await gateway.materials.retrieve(id)).toMatchObject({
      status: 'available',
      created_at: '2026-05-01T00:00:00.000Z',
      available_at: '2026-05-01T00:00:04.000Z',
      expires_at: '2026-05-01T02:00:04.000Z',
    });
    await mock.clock.advance(2 * hours - 1);
    expect((await gateway.materials.retrieve(id)).status).toBe('available');
    await mock.clock.advance(1);
    const error = await rejection(NotFoundError, Promise.resolve(gateway.materials.retrieve(id)));
    expect(error.code).toBe('material_not_found');
    expect((await gateway.materials.list()).data).toEqual([]);
  });

  test('an immediate delete returns 200, then 404 on retrieve, and can be repeated', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(source);
    const { data, meta } = await gateway.materials.delete(id).withResponse();
    expect(mock.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: `/v1/materials/${id}`,
      bodyText: '',
      headers: { authorization: `Bearer ${mock.apiKey}` },
    });
    expect([meta.status, data.status, data.id]).toEqual([200, 'deleted', id]);
    expect((await gateway.materials.delete(id)).status).toBe('deleted');
    await rejection(NotFoundError, Promise.resolve(gateway.materials.retrieve(id)));
    expect((await gateway.materials.list()).data).toEqual([]);
  });

  test('a delete in the background returns 202 and delete_pending, which is still listed', async () => {
    const { gateway, mock } = onMock({ materials: { deleteMs: 5_000 } });
    const { id } = await gateway.materials.create(source);
    const { data, meta } = await gateway.materials.delete(id).withResponse();
    expect([meta.status, data.status]).toEqual([202, 'delete_pending']);
    const list = await gateway.materials.list({ status: 'delete_pending' });
    expect(list.data.map((material) => material.id)).toEqual([id]);
    await rejection(MaterialFailedError, mock.clock.settle(gateway.materials.wait(id)));
    await mock.clock.advance(5_000);
    await rejection(NotFoundError, Promise.resolve(gateway.materials.retrieve(id)));
  });

  test('a delete is retried if its response was lost', async () => {
    const { gateway, mock } = onMock();
    const { id } = await gateway.materials.create(source);
    mock.fail({ route: 'DELETE /v1/materials/{material_id}', reset: 'after', times: 1 });
    expect((await mock.clock.settle(gateway.materials.delete(id))).status).toBe('deleted');
  });

  test('a delete cancels a pending verification', async () => {
    const { gateway, mock } = onMock();
    const created = await gateway.materials.create({ ...source, real_person: person });
    expect((await gateway.materials.delete(created.id)).status).toBe('deleted');
    expect((await mock.fetch(created.verification_url ?? '')).status).toBe(404);
    await mock.clock.advance(10_000);
    await rejection(NotFoundError, Promise.resolve(gateway.materials.retrieve(created.id)));
  });

  test('a terminal failure is replayed under its key, and another key creates another material', async () => {
    const { gateway, mock } = onMock({ materials: { outcome: 'failed' } });
    const first = await gateway.materials.create(source, { idempotencyKey: 'quay-1' });
    await mock.clock.advance(10_000);
    const again = await gateway.materials.create(source, { idempotencyKey: 'quay-1' });
    expect(again).toMatchObject({ id: first.id, status: 'failed' });
    const other = await gateway.materials.create(source, { idempotencyKey: 'quay-2' });
    expect(other).toMatchObject({ status: 'processing' });
    expect(other.id).not.toBe(first.id);
  });
});

describe('rejects invalid input before sending a request', () => {
  test.each([
    ['pollInterval', { pollInterval: -1 }],
    ['maxPollInterval', { maxPollInterval: Number.NaN }],
    ['waitTimeout', { waitTimeout: -5 }],
  ])('in wait() and register(): an invalid %s', async (field, options) => {
    const { gateway, mock } = onMock();
    for (const waiting of [
      () => gateway.materials.wait('mat_1', options),
      () => gateway.materials.register(source, options),
    ]) {
      const call = vi.fn<() => Promise<unknown>>(async () => waiting());
      const error = await rejection(ConfigurationError, call());
      expect(error.message).toContain(field);
    }
    expect(mock.requests).toEqual([]);
  });
});
