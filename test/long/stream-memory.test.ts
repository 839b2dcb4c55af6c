import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from 'vitest';

import { StreamError } from '../../src/index.ts';
import {
  bytes,
  clientOf,
  doneEvent,
  params,
  textEvent,
  streamHeaders,
  streamOf,
} from '../support/event-stream.ts';
import { rejection } from '../support/rejection.ts';

const limit = 64 * 1024 * 1024;

setFlagsFromString('--expose-gc');
// The flag only affects contexts created after it is set.
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in use after a garbage collection, in bytes. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each([
  ['a data line', 'data: ', 'x'],
  ['a data line of wide characters', 'data: ', '漢'],
  ['a comment', ': ', 'x'],
  ['a line that is not a field', 'foo', 'x'],
  ['an event of many lines', 'data: ', `${'x'.repeat(99)}\ndata: `],
])(
  'an endless event fails at the limit, and never uses three times as much memory: %s',
  async (_, head, unit) => {
    const piece = bytes(unit.repeat(Math.ceil(65_536 / bytes(unit).length)));
    const before = usedBytes();
    let sent = 0;
    let peak = -Infinity;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          const next = sent === 0 ? bytes(head) : piece.slice();
          if (Math.floor(sent / (limit / 8)) !== Math.floor((sent + next.length) / (limit / 8))) {
            peak = Math.max(peak, usedBytes() - before);
          }
          sent += next.length;
          controller.enqueue(next);
        },
      },
      { highWaterMark: 0 },
    );
    const gateway = clientOf(async () => new Response(body, { headers: streamHeaders }));
    const error = await rejection(StreamError, gateway.chat.completions.stream(params).final());
    expect(error.message).toContain('maxEventBytes');
    expect(sent).toBeLessThan(limit * 3.1);
    expect(peak).toBeLessThan(limit * 3);
    // It was measured. A decoder that stores nothing can end with less memory than before.
    expect(peak).toBeGreaterThan(-Infinity);
  },
);

test('partialObjects() takes linear time', async () => {
  const measure = async (length: number) => {
    const pieces = Array.from({ length }, () => textEvent('abc\\n')).join('');
    const stream = streamOf([textEvent('["') + pieces + textEvent('"]') + doneEvent]);
    const since = performance.now();
    for await (const state of stream.partialObjects()) void state;
    return performance.now() - since;
  };
  await measure(5_000);
  // The text is 16 times as long. Quadratic time would take 256 times as long. On a busy machine, the fastest of several
  // attempts is the least disturbed one.
  let [short, long] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    short = Math.min(short, await measure(5_000));
    long = Math.min(long, await measure(80_000));
  }
  expect(long / short).toBeLessThan(80);
});
