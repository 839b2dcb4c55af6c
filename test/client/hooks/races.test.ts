import { describe, expect, test } from 'vitest';

import { HookError } from '../../../src/index.ts';
import type { Hooks, Polygate, RequestOptions } from '../../../src/index.ts';
import { eventually } from '../../support/eventually.ts';
import { rejection } from '../../support/rejection.ts';
import {
  caught,
  chat,
  completed,
  completion,
  drain,
  hang,
  image,
  jsonReply,
  onMock,
  turns,
} from '../support.ts';
import { clientInVirtualTime, paidHeaders as headers } from './support.ts';

const never = () => new Promise<never>(() => undefined);
const inBefore: Hooks = { beforeRequest: [never] };
const inAfter: Hooks = { afterResponse: [never] };
const calls: readonly (readonly [
  string,
  (gateway: Polygate, options?: RequestOptions) => Promise<unknown>,
])[] = [
  ['a chat', (gateway, options) => gateway.chat.completions.create(chat, options)],
  ['a stream', (gateway, options) => gateway.chat.completions.stream(chat, options).final()],
  ['a submit', (gateway, options) => gateway.images.submit(image, options)],
  ['a list', (gateway, options) => gateway.models.list({}, options)],
];

describe.each(calls)('a beforeRequest hook of %s that never resolves', (_, call) => {
  test.each(['timeout', 'totalTimeout'])('is ended by %s, and nothing is sent', async (option) => {
    const { gateway, sent, clock } = clientInVirtualTime(inBefore);
    const error = await caught(clock.settle(call(gateway, { [option]: 5_000 })));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'not-sent' });
    expect(sent).toEqual([]);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is ended by the signal, and nothing is sent', async () => {
    const { gateway, sent } = clientInVirtualTime(inBefore);
    const controller = new AbortController();
    const pending = caught(call(gateway, { signal: controller.signal }));
    await turns();
    const reason = new Error('Enough');
    controller.abort(reason);
    const error = await pending;
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not-sent', cause: reason });
    expect(sent).toEqual([]);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe.each(calls)('an afterResponse hook of %s that never resolves', (_, call) => {
  const paid = jsonReply(200, completion, headers);
  const facts = { outcome: 'unknown', meta: { chargeUsd: 0.25, requestId: 'r1' } };

  test.each(['timeout', 'totalTimeout'])('is ended by %s', async (option) => {
    const { gateway, sent, clock } = clientInVirtualTime(inAfter, paid);
    const error = await caught(clock.settle(call(gateway, { [option]: 5_000 })));
    const { outcome: __, ...free } = facts;
    expect(error).toMatchObject(call === calls[3]?.[1] ? free : facts);
    expect(error.name).toBe('RequestTimeoutError');
    expect(sent).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(call === calls[3]?.[1] ? 0 : 0.25);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('is ended by the signal', async () => {
    const { gateway, sent } = clientInVirtualTime(inAfter, paid);
    const controller = new AbortController();
    const pending = caught(call(gateway, { signal: controller.signal }));
    await eventually(() => expect(sent).toHaveLength(1));
    await turns();
    controller.abort(new Error('Enough'));
    const error = await pending;
    expect(error).toMatchObject({ name: 'AbortedError', ...facts });
    expect(gateway.spend.totalUsd).toBe(call === calls[3]?.[1] ? 0 : 0.25);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

test('the task of a submit survives a hook that never resolves', async () => {
  const { mock, gateway } = onMock();
  let isStuck = true;
  const hooked = gateway.withOptions({
    maxRetries: 0,
    budget: { maxUsd: 0.04 },
    hooks: { afterResponse: [() => (isStuck ? never() : undefined)] },
  });
  await gateway.models.retrieve(image.model);
  const error = await caught(mock.clock.settle(hooked.images.submit(image)));
  expect(error).toMatchObject({ name: 'RequestTimeoutError', task: { kind: 'image' } });
  expect(error.message).toContain('is not lost');
  expect(hooked.spend.totalUsd).toBe(0.02);
  isStuck = false;
  const receipt = JSON.parse(JSON.stringify(error)).task;
  expect((await mock.clock.settle(hooked.resume(receipt).wait())).status).toBe('succeeded');
  // The reservation was released: the rest of the budget covers one more.
  await mock.clock.settle(hooked.images.submit(image));
});

test('a keyed call whose hook never resolved is retried with the same key', async () => {
  const { mock, gateway } = onMock();
  let runs = 0;
  const afterResponse = [() => ((runs += 1) === 1 ? never() : undefined)];
  const hooked = gateway.withOptions({ hooks: { afterResponse } });
  await mock.clock.settle(hooked.images.submit(image));
  expect(mock.requests).toHaveLength(2);
  expect(mock.invoice).toHaveLength(1);
  expect(hooked.spend.totalUsd).toBe(0.02);
});

describe('a wait', () => {
  test.each([
    ['beforeRequest', inBefore],
    ['afterResponse', inAfter],
  ])('with a hook that never resolves ends after waitTimeout: %s', async (_, hooks) => {
    const { mock, gateway } = onMock();
    const submission = await gateway.images.submit(image);
    const task = gateway.withOptions({ hooks }).resume(submission.toJSON());
    const error = await caught(mock.clock.settle(task.wait({ waitTimeout: 20_000 })));
    expect(error).toMatchObject({ name: 'TaskWaitTimeoutError', task: { id: task.id } });
  });

  test('with a hook that never resolves ends when the signal aborts', async () => {
    const { mock, gateway } = onMock();
    const submission = await gateway.images.submit(image);
    const task = gateway.withOptions({ hooks: inBefore }).resume(submission.toJSON());
    const controller = new AbortController();
    const pending = caught(drain(task.updates({ signal: controller.signal })));
    await turns();
    controller.abort(new Error('Enough'));
    expect(await pending).toMatchObject({ name: 'AbortedError', task: { id: task.id } });
    expect(mock.requests).toHaveLength(1);
  });
});

describe('a hook that aborts its own call', () => {
  test('in beforeRequest: nothing is sent', async () => {
    const controller = new AbortController();
    const reason = new Error('Enough');
    for (const [, call] of calls) {
      const { gateway, sent } = clientInVirtualTime({
        beforeRequest: [() => controller.abort(reason)],
      });
      const error = await caught(call(gateway, { signal: controller.signal }));
      expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not-sent', cause: reason });
      await turns();
      expect(sent).toEqual([]);
    }
  });

  test('and then throws: the call is aborted', async () => {
    const controller = new AbortController();
    const hook = () => {
      controller.abort();
      throw new Error('Broken');
    };
    const { gateway } = clientInVirtualTime(
      { afterResponse: [hook] },
      jsonReply(200, completion, headers),
    );
    const { signal } = controller;
    const error = await caught(gateway.chat.completions.create(chat, { signal }));
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
    expect(gateway.spend.totalUsd).toBe(0.25);
  });
});

test('a call that waits for a slot runs no hook before it has one', async () => {
  let runs = 0;
  const hooks = { beforeRequest: [() => void (runs += 1)] };
  const { gateway, clock } = clientInVirtualTime(hooks, hang, { concurrency: 1 });
  const pending = [1, 2, 3].map(() =>
    caught(gateway.chat.completions.create(chat, { timeout: 1_000 })),
  );
  await turns();
  expect(runs).toBe(1);
  await clock.settle(Promise.all(pending));
  expect(runs).toBe(3);
});

test('the slot of a call whose hook throws is free for the next one', async () => {
  const hooks = { afterResponse: [() => Promise.reject(new Error('Broken'))] };
  const { gateway, sent } = clientInVirtualTime(hooks, completed, { concurrency: 1 });
  const pending = [1, 2, 3].map(() => rejection(HookError, gateway.chat.completions.create(chat)));
  await Promise.all(pending);
  expect(sent).toHaveLength(3);
});
