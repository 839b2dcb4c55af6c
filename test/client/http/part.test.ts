import { expect, test } from 'vitest';

import { Part } from '../../../src/client/http/part.ts';
import { AbortedError, ConnectionError, RequestTimeoutError } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/mock/clock.ts';

/** A part whose file fails as often as `failures` says, then loads. */
function partThatFails(failures: number) {
  let left = failures;
  return new Part(async () => {
    left -= 1;
    if (left >= 0) throw new TypeError('Failed to fetch dynamically imported module: /a.js');
    return { name: 'a' };
  });
}

/** A part whose file never arrives. */
const hanging = () => new Part(() => new Promise<object>(() => {}));

test('a part is undefined until it is loaded', async () => {
  const part = partThatFails(0);
  expect(part.loaded).toBeUndefined();
  await expect(part.load()).resolves.toEqual({ name: 'a' });
  expect(part.loaded).toEqual({ name: 'a' });
});

test('a part that cannot be loaded is a connection error before anything is sent, and loads later', async () => {
  const part = partThatFails(1);
  const error = await part.load().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({
    outcome: 'not-sent',
    message:
      'A part of polygate could not be loaded: Failed to fetch dynamically imported module: /a.js. Nothing was sent.',
  });
  await expect(part.load()).resolves.toEqual({ name: 'a' });
});

test('after a payment, the error does not say that nothing was sent', async () => {
  const details = { outcome: 'unknown', idempotencyKey: 'key' } as const;
  const error = await partThatFails(1)
    .load({ details })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(details);
  expect(String(error)).not.toContain('Nothing was sent');
});

test('loading ends when the signal aborts', async () => {
  const controller = new AbortController();
  const loading = hanging().load({ signal: controller.signal });
  controller.abort('no longer needed');
  await expect(loading).rejects.toBeInstanceOf(AbortedError);
  await expect(loading).rejects.toMatchObject({ outcome: 'not-sent', cause: 'no longer needed' });
});

test('loading ends after its timeout', async () => {
  const loading = hanging().load({ timeout: 1 });
  await expect(loading).rejects.toBeInstanceOf(RequestTimeoutError);
  await expect(loading).rejects.toMatchObject({ outcome: 'not-sent' });
});

test('no virtual time passes while a part is loading', async () => {
  const clock = new VirtualClock();
  let arrive = (_module: object) => {};
  const part = new Part(() => new Promise<object>((resolve) => (arrive = resolve)));
  const start = clock.now();
  const wait = part.load().then(async () => {
    await clock.sleep(10);
    return clock.now() - start;
  });
  const advanced = clock.advance(1_000);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(clock.now()).toBe(start);
  arrive({});
  await expect(wait).resolves.toBe(10);
  await advanced;
});
