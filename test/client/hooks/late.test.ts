import { describe, expect, test } from 'vitest';

import type { Hooks } from '../../../src/index.ts';
import { eventually } from '../../support/eventually.ts';
import {
  caught,
  chat,
  clientOf,
  completion,
  hang,
  image,
  scripted,
  turns,
  virtualClock,
} from '../support.ts';
import { clientInVirtualTime, paidHeaders as headers } from './support.ts';

/** A promise that is settled from outside. */
function deferred<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<Value>((...functions) => ([resolve, reject] = functions));
  return { promise, resolve, reject };
}

describe('a hook that resolves after its call has ended', () => {
  const late: readonly (readonly [string, (request: Request) => Request | Response | undefined])[] =
    [
      ['with nothing', () => undefined],
      ['with a Request', (request) => new Request(request.url, request)],
      ['with a Response', () => Response.json(completion, { headers })],
    ];

  test.each(late)('sends nothing: %s', async (_, result) => {
    for (const end of ['abort', 'timeout'] as const) {
      let resolve = () => {};
      const gate = new Promise<void>((open) => (resolve = open));
      const beforeRequest: Hooks['beforeRequest'] = [
        async ({ request }) => {
          await gate;
          return result(request);
        },
      ];
      const { gateway, sent, clock } = clientInVirtualTime({ beforeRequest });
      const controller = new AbortController();
      const call = gateway.images.submit(image, { signal: controller.signal, timeout: 1_000 });
      const pending = caught(call);
      await turns();
      if (end === 'abort') controller.abort();
      else await clock.advance(1_000);
      expect(await pending).toMatchObject({ outcome: 'not-sent' });
      resolve();
      await turns(20);
      expect(sent).toEqual([]);
    }
  });

  test('does not send the first attempt when the second one is in flight', async () => {
    let resolve = () => {};
    const gate = new Promise<void>((open) => (resolve = open));
    let runs = 0;
    const beforeRequest = [() => ((runs += 1) === 1 ? gate : undefined)];
    const { fetch, sent } = scripted(hang);
    const clock = virtualClock();
    const gateway = clientOf(fetch, { clock, hooks: { beforeRequest }, random: () => 0 });
    const pending = caught(gateway.images.submit(image, { timeout: 1_000, maxRetries: 1 }));
    await turns();
    await clock.advance(1_000);
    await eventually(() => expect(sent).toHaveLength(1));
    resolve();
    await turns(20);
    expect(sent).toHaveLength(1);
    await clock.advance(1_000);
    expect(await pending).toMatchObject({ name: 'RequestTimeoutError', outcome: 'unknown' });
  });

  test('by throwing causes no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => void unhandled.push(reason);
    const gate = deferred<undefined>();
    for (const hooks of [
      { beforeRequest: [() => gate.promise] },
      { afterResponse: [() => gate.promise] },
    ] satisfies Hooks[]) {
      const { gateway, clock } = clientInVirtualTime(hooks);
      await caught(clock.settle(gateway.chat.completions.create(chat, { timeout: 1_000 })));
    }
    const target = globalThis.process;
    target.addListener('unhandledRejection', record);
    gate.reject(new Error('Late'));
    await turns(20);
    target.removeListener('unhandledRejection', record);
    expect(unhandled).toEqual([]);
  });
});

test('the late response to an attempt is not taken for that of the next one', async () => {
  const first = deferred<Response>();
  let sent = 0;
  const fetch: typeof globalThis.fetch = async () => {
    sent += 1;
    if (sent === 1) return first.promise;
    return Response.json({ id: 'task_1', status: 'queued' }, { status: 202 });
  };
  const hold = deferred<undefined>();
  const afterResponse: Hooks['afterResponse'] = [
    ({ response }) => (response.status === 202 ? hold.promise : undefined),
  ];
  const clock = virtualClock();
  const gateway = clientOf(fetch, { clock, hooks: { afterResponse }, random: () => 0 });
  const submit = gateway.images.submit(image, { timeout: 1_000 });
  await turns();
  await clock.advance(1_000);
  await eventually(() => expect(sent).toBe(2));
  await turns();
  first.resolve(Response.json({ error: { message: 'Late' } }, { status: 400, headers }));
  await turns();
  hold.resolve(undefined);
  expect((await submit).id).toBe('task_1');
  // The charge of the late response counts nevertheless.
  expect(gateway.spend.totalUsd).toBe(0.25);
});
