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

const cap = 16 * 1024 * 1024;

setFlagsFromString('--expose-gc');
// The flag reaches contexts that are made after it.
const collectGarbage = runInNewContext('gc') as () => void;

/** What is alive, bytes. */
function alive(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each([
  ['a data line', 'data: ', 'x'],
  ['a data line of wide characters', 'data: ', '漢'],
  ['a comment', ': ', 'x'],
  ['a line that is no field', 'foo', 'x'],
  ['an event of many lines', 'data: ', `${'x'.repeat(99)}\ndata: `],
])(
  'an endless line stops at the cap and never holds three times as much: %s',
  async (_, head, unit) => {
    const piece = bytes(unit.repeat(Math.ceil(65_536 / bytes(unit).length)));
    const before = alive();
    let sent = 0;
    let peak = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          const next = sent === 0 ? bytes(head) : piece.slice();
          if (Math.floor(sent / (cap / 8)) !== Math.floor((sent + next.length) / (cap / 8))) {
            peak = Math.max(peak, alive() - before);
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
    expect(sent).toBeLessThan(cap * 3.1);
    expect(peak).toBeLessThan(cap * 3);
    expect(peak).toBeGreaterThan(0);
  },
);

test('a draft costs as much as it is long: every character is looked at once', async () => {
  const time = async (length: number) => {
    const pieces = Array.from({ length }, () => textEvent('abc\\n')).join('');
    const since = performance.now();
    for await (const state of streamOf([
      textEvent('["') + pieces + textEvent('"]') + doneEvent,
    ]).partialObjects())
      void state;
    return performance.now() - since;
  };
  await time(5_000);
  const [short, long] = [await time(5_000), await time(80_000)];
  // Sixteen times as much; with a second look at what has come it would be 256 times.
  expect(long / short).toBeLessThan(80);
});
