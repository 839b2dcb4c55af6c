import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Hooks } from '../../src/index.ts';
import { clientOf, params, streamHeaders, textEvent } from '../support/event-stream.ts';

const mebibyte = 1_048_576;
/** How often memory is measured. */
const step = 2 * mebibyte;
/** How much of the stream is read while memory is measured. */
const length = 48 * mebibyte;
const piece = textEvent('x'.repeat(65_000));

setFlagsFromString('--expose-gc');
// The flag only affects contexts created after it is set.
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in use after a garbage collection, in bytes. A body that is stored is outside the heap. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Sends every client an endless stream, as fast as it reads. */
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, streamHeaders);
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const idle = () => undefined;
const kept: Response[] = [];
const variants: Readonly<Record<string, Hooks>> = {
  'no hook': {},
  'an idle hook': { afterResponse: [idle] },
  'three idle hooks': { afterResponse: [idle, idle, idle] },
  'a hook that keeps the response': { afterResponse: [({ response }) => void kept.push(response)] },
  'a hook that keeps a copy': {
    afterResponse: [({ response }) => void kept.push(response.clone())],
  },
};

/** The highest memory use while a part of the endless stream is read, in bytes above that before the call. */
async function peakOf(hooks: Hooks): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const gateway = clientOf(fetch, { baseURL: `http://127.0.0.1:${port}`, hooks });
  const before = usedBytes();
  let peak = 0;
  let read = 0;
  for await (const text of gateway.chat.completions.stream(params).text()) {
    const isMeasured = Math.floor(read / step) < Math.floor((read + text.length) / step);
    read += text.length;
    if (isMeasured) peak = Math.max(peak, usedBytes() - before);
    if (read > length) break;
  }
  return peak;
}

test('reading an endless stream with hooks uses no more memory than without', async () => {
  const peaks = new Map<string, number[]>();
  // In turns, so that whatever else the process does affects all of them.
  for (let round = 0; round < 3; round += 1) {
    for (const [name, hooks] of Object.entries(variants)) {
      const peak = await peakOf(hooks);
      // The first round loads and compiles.
      if (round > 0) peaks.set(name, [...(peaks.get(name) ?? []), peak]);
    }
  }
  const lowest = (name: string) => Math.min(...(peaks.get(name) ?? []));
  const highest = Math.max(...(peaks.get('no hook') ?? []));
  for (const name of Object.keys(variants)) {
    // Far less than a copy of what was read, and no more than network buffers vary by.
    expect
      .soft(lowest(name), `${name}: ${peaks.get(name)?.join(', ')}`)
      .toBeLessThan(highest * 1.5);
  }
});
