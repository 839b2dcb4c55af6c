import { describe, expect, test } from 'vitest';

import { PolygateError, StreamError, StreamTruncatedError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { createPolygate } from '../../../src/integrations/ai-sdk/index.ts';
import { readScript } from '../../support/byte-script.ts';
import { chunk, doneEvent, event, textEvent } from '../../support/event-stream.ts';

interface WithGateway {
  readonly gateway: Polygate;
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

/** The text of a stream, and the error that follows it. */
async function readParts(body: string) {
  let error: unknown;
  const { text } = await readScript(
    async ({ gateway }: WithGateway) => {
      const { stream } = await createPolygate({ client: gateway })('m').doStream({ prompt });
      let read = '';
      for await (const part of stream) {
        if (part.type === 'text-delta') read += part.delta;
        if (part.type === 'error') error = part.error;
      }
      return read;
    },
    { body },
  );
  return { text, error };
}

const words = ['One ', 'two ', 'three ', 'four ', 'five'];
const texts = words.map((word) => textEvent(word)).join('');

describe('the text that arrives together with the failure of a stream', () => {
  test.each([
    ['an error record', event({ error: { message: 'overloaded' } }), StreamError, /overloaded/],
    ['a detail', event({ detail: 'overloaded' }) + doneEvent, StreamError, /overloaded/],
    [
      'a failed choice',
      event(chunk([{ index: 0, finish_reason: 'error', error: 'overloaded' }])),
      StreamError,
      /overloaded/,
    ],
    ['broken data', 'data: <html>\n\n', StreamError, /<html>/],
    ['its early end', '', StreamTruncatedError, /truncated/],
  ])('comes before it: %s', async (_, failure, Class, message) => {
    const { text, error } = await readParts(texts + failure);
    expect(text).toBe(words.join(''));
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ outcome: 'unknown', message: expect.stringMatching(message) });
    const partial = PolygateError.is(error) ? Reflect.get(error, 'partial') : undefined;
    expect(partial).toMatchObject({ choices: [{ message: { content: words.join('') } }] });
  });
});
