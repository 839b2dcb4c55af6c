import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { clientOf, eventStream, turns } from '../../client/support.ts';
import { type } from './failure-of.ts';
import { chat, observed } from './observed.ts';

const params = { ...chat, stream: true } as const;
const init = (signal?: AbortSignal) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(params),
  ...(signal && { signal }),
});

const opened: readonly [string, (gateway: Polygate, signal?: AbortSignal) => Promise<Response>][] =
  [
    [
      'asResponse',
      async (gateway, signal) => gateway.chat.completions.create(params, { signal }).asResponse(),
    ],
    [
      'gateway.fetch',
      async (gateway, signal) => gateway.fetch('/v1/chat/completions', init(signal)),
    ],
  ];

describe.each(opened)('the span of a stream whose body the caller reads, with %s', (_, open) => {
  test('has an AbortedError if the signal aborts', async () => {
    const { gateway, settle, span } = observed();
    const controller = new AbortController();
    const reader = (await settle(open(gateway, controller.signal))).body?.getReader();
    await reader?.read();
    controller.abort('enough');
    expect(span('chat aurora-chat').attributes).toMatchObject(type('AbortedError', 'unknown'));
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
  });

  test('has an AbortedError if the body is garbage collected', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { gateway, settle, span } = observed({ chunkDelayMs: 10 });
    const start = async () => void (await (await open(gateway)).body?.getReader().read());
    await settle(start());
    for (let round = 0; round < 5; round += 1) {
      await turns();
      collectGarbage();
    }
    await turns();
    expect(span('chat aurora-chat').attributes).toMatchObject(type('AbortedError', 'unknown'));
  });
});

test.each([
  ['once, although the first ones have no choices', ['{"choices":[]}', '{"choices":[]}'], 1],
  ['but an error is none', ['{"error":{"message":"overloaded"}}'], 0],
])('gateway.fetch reports the first chunk, %s', async (_, chunks, expected) => {
  const body = [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  const events: string[] = [];
  const telemetry = {
    startSpan: () => ({
      runAttempt: (send: () => void) => send(),
      event: ({ type: name }: { type: string }) => void events.push(name),
      end() {},
    }),
  };
  const gateway = clientOf(async () => new Response(body, eventStream), { telemetry });
  expect(await (await gateway.fetch('/v1/chat/completions', init())).text()).toBe(body);
  expect(events).toHaveLength(expected);
});
