import { expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { caught, chat, clientOf } from '../support.ts';

/** An answer whose body begins and does not end, and what became of it. */
function endless() {
  const seen: { cancelled?: unknown } = {};
  const fetch = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('begun')),
        cancel: (reason) => {
          seen.cancelled = reason;
        },
      }),
      { headers: { 'x-request-id': 'req_1' } },
    );
  return { fetch, seen };
}

type Fetched = (gateway: Polygate, signal: AbortSignal) => Promise<Response>;

test.each<[string, Fetched]>([
  [
    'download',
    (gateway, signal) => gateway.download('https://files.example/a.mp4', { signal, maxBytes: 99 }),
  ],
  ['asResponse of a list', (gateway, signal) => gateway.models.list({ signal }).asResponse()],
  [
    'asResponse of a poll',
    (gateway, signal) => gateway.images.retrieve('task_1', { signal }).asResponse(),
  ],
  [
    'asResponse of a stream',
    (gateway, signal) =>
      gateway.chat.completions.create({ ...chat, stream: true }, { signal }).asResponse(),
  ],
])('the signal also ends the body that %s has given', async (_, call) => {
  const { fetch, seen } = endless();
  const stop = new AbortController();
  const response = await call(clientOf(fetch), stop.signal);
  expect(response.headers.get('x-request-id')).toBe('req_1');
  const reader = response.body?.getReader();
  await reader?.read();
  const rest = caught(reader?.read() ?? Promise.resolve());
  const reason = new Error('enough');
  stop.abort(reason);
  expect(await rest).toBe(reason);
  expect(seen.cancelled).toBe(reason);
});
