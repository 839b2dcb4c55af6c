import { describe, expect, test } from 'vitest';

import { StreamError, StreamTruncatedError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { readScript } from '../../support/byte-script.ts';
import {
  chunk,
  doneEvent,
  event,
  finishEvent,
  params,
  textEvent,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

async function fetchText({ gateway }: { readonly gateway: Polygate }): Promise<string> {
  const response = await gateway.fetch(`${gateway.baseURL}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...params, stream: true }),
  });
  const type = response.headers.get('content-type') ?? '';
  return `${type}\n${await response.text()}`;
}

const half = textEvent('Half');

describe('gateway.fetch', () => {
  test.each([
    ['object: error', event({ object: 'error', message: 'overloaded' })],
    ['a detail', event({ detail: 'overloaded' })],
    ['success: false', event({ success: false, message: 'overloaded' })],
    ['choices: null', event({ choices: null, error_message: 'overloaded' })],
    [
      'a failed choice',
      event(chunk([{ index: 0, finish_reason: 'error', error: { message: 'overloaded' } }])),
    ],
  ])('fails a stream with a failure that its reader would not find: %s', async (_, failure) => {
    const body = half + failure + doneEvent;
    const error = await rejection(StreamError, readScript(fetchText, { body }));
    expect(error.message).toContain('overloaded');
    expect(error.outcome).toBe('unknown');
  });

  test('passes on a stream with a status in the middle as it is, with a warning', async () => {
    const status = event({ type: 'session', message: 'waiting' });
    const body = status + half + status + finishEvent() + doneEvent;
    const { text, warnings } = await readScript(fetchText, { body });
    expect(text).toBe(`text/event-stream\n${body}`);
    expect(warnings.join()).toContain('waiting');
  });

  test('passes on a stream with keep-alives as data as it is', async () => {
    const body = `data: : keepalive\n\n${half}${finishEvent()}data: null\n\ndata: [DONE] \n\n`;
    const { text } = await readScript(fetchText, { body });
    expect(text).toBe(`text/event-stream\n${body}`);
  });

  test.each(['application/json', 'text/plain', ''])(
    'passes on an event stream of type %j as an event stream, with a warning',
    async (type) => {
      const body = half + finishEvent() + doneEvent;
      const { text, warnings } = await readScript(fetchText, { body, type });
      expect(text).toBe(`text/event-stream\n${body}`);
      expect(warnings).toHaveLength(1);
    },
  );

  test('rejects a truncated event stream of another type', async () => {
    const reading = readScript(fetchText, { body: half, type: 'application/json' });
    expect((await rejection(StreamTruncatedError, reading)).outcome).toBe('unknown');
  });
});
