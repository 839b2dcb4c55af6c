import { describe, expect, test } from 'vitest';

import { StreamError } from '../../../src/index.ts';
import { readScript, streamedWays } from '../../support/byte-script.ts';
import { chunk, doneEvent, event, finishEvent, textEvent } from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

const streamed = Object.entries(streamedWays);

/** Records with a text that may be a failure or a status. What follows tells. */
const suspects: Record<string, string> = {
  'a session with a message': event({ type: 'session', message: 'waiting' }),
  'a detail': event({ detail: 'waiting' }),
  'a code and a message': event({ code: 102, message: 'waiting' }),
  'a msg': event({ msg: 'waiting' }),
  'a message beside empty choices': event(chunk([], { message: 'waiting' })),
  'a list of one message': event([{ message: 'waiting' }]),
  'an event of its own type': `event: notify\n${event({ message: 'waiting' })}`,
};

describe.each(Object.entries(suspects))('a record of %s', (_, suspect) => {
  test.each(streamed)('is a status if the chat continues after it: %s', async (_way, way) => {
    for (const body of [
      suspect + textEvent('Hel') + suspect + textEvent('lo') + finishEvent() + doneEvent,
      textEvent('Hel') + suspect + suspect + textEvent('lo') + finishEvent() + doneEvent,
      textEvent('Hello') + suspect + finishEvent(),
    ]) {
      const { text, warnings } = await readScript(way, { body });
      expect(text).toBe('Hello');
      expect(warnings.join()).toContain('waiting');
    }
  });

  test.each(streamed)('is a failure if nothing follows: %s', async (_way, way) => {
    for (const body of [
      textEvent('Half') + suspect + doneEvent,
      textEvent('Half') + suspect,
      suspect + textEvent('Half') + suspect + event(chunk([])) + doneEvent,
      suspect + doneEvent,
    ]) {
      const error = await rejection(StreamError, readScript(way, { body }));
      expect(error.message).toContain('The stream contains an error');
      expect(error.message).toContain('waiting');
      expect(error.outcome).toBe('unknown');
    }
  });
});

const certain: Record<string, string> = {
  'an error code and an error_msg': event({ error_code: 336_100, error_msg: 'overloaded' }),
  'an error_msg alone': event({ error_msg: 'overloaded' }),
  'a fault': event({ fault: { faultstring: 'overloaded', detail: { errorcode: 'quota' } } }),
  'a fault as text': event({ fault: 'overloaded' }),
  'the error of a response': event({ response: { error: { message: 'overloaded' } } }),
  'a failed response': event({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error', message: 'overloaded' } },
  }),
  'an errorMessage': event({ errorCode: 'E42', errorMessage: 'overloaded' }),
  'an exception': event({ exception: 'overloaded' }),
  'a level': event({ level: 'error', message: 'overloaded' }),
  'an event name': event({ event: 'error', message: 'overloaded' }),
  'ok: false': event({ ok: false, message: 'overloaded' }),
};

describe.each(Object.entries(certain))('a failure reported as %s', (_, failure) => {
  test.each(streamed)('is an error, whatever follows: %s', async (_way, way) => {
    for (const rest of [doneEvent, textEvent('more') + finishEvent() + doneEvent, '']) {
      const body = textEvent('Half') + failure + rest;
      const error = await rejection(StreamError, readScript(way, { body }));
      expect(error.message).toContain('overloaded');
      expect(error.outcome).toBe('unknown');
    }
  });
});

const harmless: Record<string, string> = {
  'an error code of 0': event({ error_code: 0, error_msg: '' }),
  'an error code of success': event({ error_code: 0, error_msg: 'success' }),
  'a response in progress': event({
    type: 'response.in_progress',
    response: { status: 'in_progress', error: null },
  }),
  'no fault': event({ fault: null, exception: '' }),
  'a session without a text': event({ type: 'session', id: 's1' }),
};

describe.each(Object.entries(harmless))('%s', (_, other) => {
  test.each(streamed)('reports no failure: %s', async (_way, way) => {
    const body = textEvent('Hel') + other + textEvent('lo') + other + finishEvent() + doneEvent;
    expect((await readScript(way, { body })).text).toBe('Hello');
  });
});

test('a record is a status although the stream names no finish reason', async () => {
  const body = textEvent('Hel') + suspects['a detail'] + textEvent('lo') + doneEvent;
  for (const way of [
    streamedWays.loop,
    streamedWays['final()'],
    streamedWays['a relayed stream'],
  ]) {
    expect((await readScript(way, { body })).text).toBe('Hello');
  }
});
