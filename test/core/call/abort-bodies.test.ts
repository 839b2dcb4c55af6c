import { expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { caught, chat, clientOf } from '../support.ts';

/** A fetch whose response body never ends, and the reason it was cancelled with. */
function endless() {
  const state: { cancelled?: unknown } = {};
  const fetch = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('start')),
        cancel: (reason) => {
          state.cancelled = reason;
        },
      }),
      { headers: { 'x-request-id': 'req_1' } },
    );
  return { fetch, state };
}

type Call = (gateway: Polygate, signal: AbortSignal) => Promise<Response>;

test.each<[string, Call]>([
  [
    'download',
    (gateway, signal) => gateway.download('https://files.example/a.mp4', { signal, maxBytes: 99 }),
  ],
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
  const { fetch, state } = endless();
  const stop = new AbortController();
  const response = await call(clientOf(fetch), stop.signal);
  expect(response.headers.get('x-request-id')).toBe('req_1');
  const reader = response.body?.getReader();
  await reader?.read();
  const rest = caught(reader?.read() ?? Promise.resolve());
  const reason = new Error('enough');
  stop.abort(reason);
  expect(await rest).toBe(reason);
  // A body of which hooks have a copy puts the reason into a list.
  expect([state.cancelled].flat(3)).toContain(reason);
});
