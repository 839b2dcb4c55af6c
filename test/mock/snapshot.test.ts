import { expect, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../src/mock/index.ts';
import { callerOf, chat, image } from './caller.ts';

const key = { 'x-idempotency-key': 'row-1' };

/** Creates a gateway with the state of another one, as a new process does. */
const restart = (mock: MockGateway, options: MockGatewayOptions = {}) =>
  createMockGateway({
    clock: 'virtual',
    ...options,
    snapshot: JSON.parse(JSON.stringify(mock.snapshot())),
  });

test('wallet, invoice and tasks survive a restart, and a replay is free', async () => {
  const mock = createMockGateway({ clock: 'virtual', wallet: { usd: 5 } });
  const first = await callerOf(mock).submit('/v1/images/tasks', image, key);
  await callerOf(mock).post('/v1/chat/completions', chat);
  await mock.clock.advance(2000);
  expect(mock.snapshot()).toStrictEqual(JSON.parse(JSON.stringify(mock.snapshot())));
  const restarted = restart(mock, { wallet: { usd: 99 } });
  expect(restarted.wallet).toEqual(mock.wallet);
  expect(restarted.invoice).toEqual(mock.invoice);
  expect(restarted.tasks).toEqual(mock.tasks);
  expect(restarted.clock.now()).toBe(mock.clock.now());
  const replay = await callerOf(restarted).post('/v1/images/tasks', image, key);
  expect((await replay.json()).id).toBe(first.id);
  expect(replay.headers.get('x-svc-idempotent-replay')).toBe('true');
  expect(restarted.invoice).toHaveLength(2);
  await restarted.clock.advance(4000);
  expect(restarted.tasks[0]?.status).toBe('completed');
});

test('a chat, a voice and a material are replayed after a restart', async () => {
  const assumptions = { A11: 'replay', A12: 'replay' } as const;
  const mock = createMockGateway({ clock: 'virtual', assumptions });
  const material = { url: 'https://files.example/a.png', type: 'image' };
  const voice = { prompt: 'calm', preview_text: 'Hello' };
  const requests = [
    ['/v1/chat/completions', chat, key],
    ['/v1/audio/voices/design', voice, key],
    ['/v1/materials', material, { 'idempotency-key': 'row-1' }],
  ] as const;
  const before = [];
  for (const [path, body, header] of requests) {
    before.push(await callerOf(mock).submit(path, body, header));
  }
  const restarted = restart(mock, { assumptions });
  const after = [];
  for (const [path, body, header] of requests) {
    after.push(await callerOf(restarted).submit(path, body, header));
  }
  expect(after).toEqual(before);
  expect(restarted.invoice).toEqual(mock.invoice);
  const { data } = await callerOf(restarted).read('/v1/audio/voices');
  expect(data.at(-1)).toMatchObject({ visibility: 'private' });
});

test('a task that fails while the gateway is down is refunded once', async () => {
  const mock = createMockGateway({ clock: 'virtual', tasks: { outcome: 'failed' } });
  await callerOf(mock).post('/v1/images/tasks', image);
  const restarted = restart(mock);
  await restarted.clock.advance(60_000);
  expect(restarted.invoice.map(({ kind }) => kind)).toEqual(['charge', 'refund']);
  expect(restart(restarted).invoice).toHaveLength(2);
  expect(restart(restarted).wallet).toEqual({ usd: 1000, spentUsd: 0 });
});

test('ids are not assigned again after a restart', async () => {
  const ids = new Set<string>();
  let mock = createMockGateway({ clock: 'virtual' });
  for (let round = 0; round < 4; round += 1) {
    ids.add((await callerOf(mock).submit('/v1/images/tasks', image)).id);
    mock = restart(mock);
  }
  expect(ids.size).toBe(4);
});

test('a verification survives a restart, and so does a disabled key', async () => {
  const mock = createMockGateway({ clock: 'virtual', keys: [{ key: 'sk-a' }, { key: 'sk-b' }] });
  const person = { consent_confirmed: true, callback_url: 'https://app.example/done' };
  const body = { url: 'https://files.example/a.png', type: 'image', real_person: person };
  const header = { 'idempotency-key': 'a' };
  const created = await callerOf(mock).submit('/v1/materials', body, header);
  mock.setKeyState('sk-b', 'disabled');
  const restarted = restart(mock, { keys: [{ key: 'sk-a' }, { key: 'sk-b' }] });
  expect((await callerOf(restarted, 'sk-b').get('/v1/account')).status).toBe(403);
  const verified = await restarted.fetch(created.verification_url);
  expect(verified.headers.get('location')).toContain(`material_id=${created.id}`);
});

test('endless tasks and balances survive JSON', async () => {
  const options = { wallet: { usd: Infinity }, tasks: { durationMs: Infinity } };
  const mock = createMockGateway({ clock: 'virtual', ...options });
  await callerOf(mock).post('/v1/images/tasks', image);
  const restarted = restart(mock);
  await restarted.clock.advance(1e9);
  expect(restarted.wallet.usd).toBe(Infinity);
  expect(restarted.tasks[0]?.status).not.toBe('completed');
});

test('a snapshot contains no API keys', async () => {
  const mock = createMockGateway({ keys: [{ key: 'sk-canary' }] });
  await callerOf(mock).post('/v1/images/tasks', image);
  expect(JSON.stringify(mock.snapshot())).not.toContain('canary');
});

test.each([
  [{}, 'snapshot: is not the state of a mock gateway: `format` is required.'],
  [{ format: 'polygate-mock', version: 2 }, 'snapshot: has version 2, but this version'],
])('an invalid snapshot %j is rejected', (snapshot, message) => {
  expect(() => createMockGateway({ snapshot })).toThrow(message);
});

test('onChange is called once per charge, before the response', async () => {
  const states: number[] = [];
  const mock: MockGateway = createMockGateway({
    onChange: () => states.push(JSON.parse(JSON.stringify(mock.snapshot())).tasks.length),
  });
  const caller = callerOf(mock);
  await caller.get('/v1/account');
  expect(states).toEqual([]);
  const response = caller.post('/v1/images/tasks', image, key);
  await response;
  expect(states).toEqual([1]);
  await caller.post('/v1/images/tasks', image, key);
  expect(states).toEqual([1]);
});
