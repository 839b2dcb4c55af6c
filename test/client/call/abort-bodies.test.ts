import { expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, clientOf } from '../support.ts';

/** A fetch whose response body never ends, and the reason it was canceled with. */
function endless() {
  const state: { canceled?: unknown } = {};
  const fetch = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('start')),
        cancel: (reason) => {
          state.canceled = reason;
        },
      }),
      { headers: { 'x-request-id': 'req_1' } },
    );
  return { fetch, state };
}

type Call = (gateway: Polygate, signal: AbortSignal) => Promise<Response>;

/** Aborts while the body is read. Returns the reason, and the errors of both sides of the body. */
async function abortBody(call: Call) {
  const { fetch, state } = endless();
  const stop = new AbortController();
  const response = await call(clientOf(fetch), stop.signal);
  expect(response.headers.get('x-request-id')).toBe('req_1');
  const reader = response.body?.getReader();
  await reader?.read();
  const rest = caught(reader?.read() ?? Promise.resolve());
  const reason = new Error('enough');
  stop.abort(reason);
  return { reason, error: await rest, canceled: state.canceled };
}

test('the signal also aborts the response body returned by download, with an AbortedError', async () => {
  const { reason, error, canceled } = await abortBody((gateway, signal) =>
    gateway.download('https://files.example/a.mp4', { signal, maxBytes: 99 }),
  );
  expect(error).toBeInstanceOf(AbortedError);
  expect(error.cause).toBe(reason);
  expect(canceled).toBe(reason);
});

test.each<[string, Call]>([
  ['asResponse of a list', (gateway, signal) => gateway.models.list({}, { signal }).asResponse()],
  [
    'asResponse of a poll',
    (gateway, signal) => gateway.images.retrieve('task_1', { signal }).asResponse(),
  ],
  [
    'asResponse of a stream',
    (gateway, signal) =>
      gateway.chat.completions.create({ ...chat, stream: true }, { signal }).asResponse(),
  ],
])('the signal also aborts the response body returned by %s', async (_, call) => {
  const { reason, error, canceled } = await abortBody(call);
  expect(error).toBe(reason);
  // A body of which hooks have a copy puts the reason into a list.
  expect([canceled].flat(3)).toContain(reason);
});
