import { describe, expect, test } from 'vitest';

import { PolygateError, StreamError } from '../../../src/index.ts';
import { readScript, streamedWays, unstreamedWays } from '../../support/byte-script.ts';
import {
  chunk,
  clientOf,
  deltaEvent,
  doneEvent,
  event,
  finishEvent,
  params,
  streamingFetch,
  textEvent,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

const streamed = Object.entries(streamedWays);
const unstreamed = Object.entries(unstreamedWays);
const overloaded = { message: 'overloaded', code: 'busy' };

const failures: Record<string, string> = {
  'object: error': event({ object: 'error', message: 'overloaded' }),
  'a code and a message': event({ code: 1302, message: 'overloaded' }),
  'a detail': event({ detail: 'overloaded' }),
  'a detail that is a list': event({ detail: [{ msg: 'overloaded' }] }),
  'success: false': event({ success: false, message: 'overloaded' }),
  'a list of errors': event({ errors: [{ message: 'overloaded' }] }),
  'a list of texts': event({ errors: ['overloaded'] }),
  'errors by field': event({ errors: { model: ['overloaded'] }, status: 400 }),
  'type: error': event({ type: 'error', message: 'overloaded' }),
  'an error type': event({ type: 'overloaded_error', message: 'overloaded' }),
  'choices: null': event({ ...chunk([]), choices: null, error_message: 'overloaded' }),
  'choices that are empty': event(chunk([], { code: 500, message: 'overloaded' })),
  base_resp: event({ choices: null, base_resp: { status_code: 1002, status_msg: 'overloaded' } }),
  'a code and a msg': event({ code: '1302', msg: 'overloaded' }),
  'a list of one error': event([{ error: overloaded }]),
  'a failed choice': event(
    chunk([{ index: 0, delta: { content: '' }, finish_reason: 'error', error: overloaded }]),
  ),
  'base_resp beside usage': event({
    choices: null,
    usage: { total_tokens: 0 },
    base_resp: { status_code: 1013, status_msg: 'overloaded' },
  }),
  'an error object beside usage': event({
    object: 'error',
    message: 'overloaded',
    usage: { total_tokens: 0 },
  }),
  'a choice with an error and text': event(
    chunk([{ index: 0, delta: { content: '…' }, error: overloaded }]),
  ),
  'a choice with an error and no reason': event(chunk([{ index: 0, error: overloaded }])),
  'an event of type Error': `event: Error\n${event({ message: 'overloaded' })}`,
  'an error after its finish reason':
    finishEvent('error') + event({ object: 'error', ...overloaded }),
};

describe.each(Object.entries(failures))('a failure reported as %s', (_, failure) => {
  test.each(streamed)('is a StreamError with its reason: %s', async (_way, way) => {
    const body = textEvent('Half') + failure + doneEvent;
    const error = await rejection(StreamError, readScript(way, { body }));
    expect(error.message).toContain('overloaded');
    expect(error.message).toContain('may have been charged');
    expect(error.outcome).toBe('unknown');
  });
});

describe.each([
  ['without choices', { choices: [], error_message: 'overloaded' }],
  ['with an error object and no choices', { ...chunk([]), error: overloaded }],
  [
    'with a choice that has not finished',
    {
      ...chunk([{ index: 0, message: { content: 'Half' }, finish_reason: null }]),
      error: overloaded,
    },
  ],
])('a failed completion %s', (_, failed) => {
  test.each(unstreamed)('is a StreamError with its reason: %s', async (_way, way) => {
    const script = { body: JSON.stringify(failed), type: 'application/json' };
    const error = await rejection(StreamError, readScript(way, script));
    expect(error.message).toContain('overloaded');
    expect(error.outcome).toBe('unknown');
  });
});

test.each(unstreamed)(
  'a failed choice that is not streamed is a StreamError: %s',
  async (_, way) => {
    const choice = {
      index: 0,
      message: { content: 'Half' },
      finish_reason: 'error',
      error: overloaded,
    };
    const body = JSON.stringify(chunk([choice]));
    const error = await rejection(StreamError, readScript(way, { body, type: 'application/json' }));
    expect(error).toMatchObject({ code: 'busy', outcome: 'unknown' });
    expect(error.partial?.choices[0]?.message.content).toBe('Half');
  },
);

const harmless: Record<string, string> = {
  'a keep-alive comment as data': 'data: : keepalive\n\n',
  'a keep-alive with punctuation': 'data: [Keep-Alive]\n\n',
  'a ping with a time': 'data: ping - 2026-01-02T03:04:05.678Z\n\n',
  'an event of type ping with text': 'event: ping\ndata: still here\n\n',
  'an event of type heartbeat with a record': 'event: HEARTBEAT\ndata: {"message":"alive"}\n\n',
  'a ping record': event({ type: 'ping' }),
  'a heartbeat in quotes': 'data: "heartbeat"\n\n',
  null: 'data: null\n\n',
  'NULL in upper case': 'data: NULL \n\n',
  'a comment of a router as data': 'data: : OPENROUTER PROCESSING\n\n',
  'an empty error': event(chunk([], { error: {} })),
  'a record of success': event({ code: 20_000, message: 'success' }),
  'a progress record': event({ type: 'status', message: 'Searching the web' }),
  'a success record': event({ code: 0, message: 'ok' }),
};

describe.each(Object.entries(harmless))('%s proves nothing', (_, other) => {
  test.each(streamed)('in the middle: %s', async (_way, way) => {
    const body =
      other + textEvent('Hel') + other + textEvent('lo') + finishEvent() + other + doneEvent;
    expect(await readScript(way, { body })).toMatchObject({ text: 'Hello' });
  });
});

const broken = [
  '<html>',
  'undefined',
  '{"choices":[{',
  'bye',
  '"good night"',
  '{"object":"error","detail":"closing"}',
  '{"error":{"message":"closing"}}',
];

describe.each(broken)('%s', (data) => {
  test.each(streamed)('proves nothing once every choice has finished: %s', async (_, way) => {
    for (const end of [doneEvent, 'data:  [DONE] \n\n', '']) {
      const body = `${textEvent('Hello')}${finishEvent()}data: ${data}\n\n${end}`;
      expect(await readScript(way, { body })).toMatchObject({ text: 'Hello' });
    }
  });

  test.each(streamed)('is an error in the middle: %s', async (_, way) => {
    const body = `${textEvent('Hel')}data: ${data}\n\n${textEvent('lo')}${finishEvent()}${doneEvent}`;
    const error = await rejection(StreamError, readScript(way, { body }));
    expect(error.outcome).toBe('unknown');
  });
});

const choice = (fields: object) => event(chunk([{ index: 0, finish_reason: null, ...fields }]));
const message = { role: 'assistant', content: 'Hello' };

const messages: Record<string, string> = {
  'one chunk with a message': choice({ message, finish_reason: 'stop' }),
  'an empty delta beside it': choice({ delta: {}, message, finish_reason: 'stop' }),
  'a delta with only a role before it':
    deltaEvent({ role: 'assistant', content: '' }) + choice({ message }),
  'delta: null': choice({ delta: null, message }),
  'fragments of messages':
    choice({ message: { content: 'Hel' } }) + choice({ message: { content: 'lo' } }),
  'fragments, and the complete message at the end':
    choice({ message: { content: 'Hel' } }) +
    choice({ message: { content: 'lo' } }) +
    choice({ message: { content: 'Hello' }, finish_reason: 'stop' }),
  'fragments, and the complete message with more fields at the end':
    choice({ message: { content: 'Hel' } }) +
    choice({ message: { content: 'lo' } }) +
    choice({ message: { content: 'Hello', refusal: null, note: 'a' }, finish_reason: 'stop' }),
  'deltas, and the complete message at the end':
    textEvent('Hel') + textEvent('lo') + choice({ message, finish_reason: 'stop' }),
  'deltas with a message each': choice({ delta: { content: 'Hello' }, message }),
  'a text': choice({ text: 'Hello', finish_reason: 'stop' }),
  'fragments of texts': choice({ text: 'Hel' }) + choice({ text: 'lo' }),
};

describe.each(Object.entries(messages))('a stream with %s', (_, body) => {
  test.each(streamed)('has its text once: %s', async (_way, way) => {
    expect(await readScript(way, { body: body + finishEvent() + doneEvent })).toMatchObject({
      text: 'Hello',
    });
  });
});

const completion = JSON.stringify({ ...chunk([{ index: 0, message, finish_reason: 'stop' }]) });
const pretty = JSON.stringify(JSON.parse(completion), null, 2);
const events = textEvent('Hel') + textEvent('lo') + finishEvent() + doneEvent;

const shapes: Record<string, { body: string; type: string }> = {
  'an event stream as JSON': { body: events, type: 'application/json' },
  'an event stream as plain text': { body: events, type: 'text/plain' },
  'an event stream as octets': { body: `\n: hi\n\n${events}`, type: 'application/octet-stream' },
  'an event stream without a type': { body: events, type: '' },
  'a completion': { body: completion, type: 'application/json' },
  'a completion over several lines': { body: pretty, type: 'application/json' },
  'a completion without a type': { body: ` ${completion}`, type: '' },
  'a completion as an event stream': { body: `${completion}\n`, type: 'text/event-stream' },
  'a completion and [DONE]': {
    body: `${completion}\n\ndata: [DONE]\n\n`,
    type: 'application/json',
  },
  'a completion and [DONE] as an event stream': {
    body: `${pretty}\n\ndata: [DONE]\n\n`,
    type: 'text/event-stream',
  },
};

describe.each(Object.entries(shapes))('%s', (_name, script) => {
  test.each(streamed)('is read where a stream was requested: %s', async (_, way) => {
    const { text, warnings } = await readScript(way, script);
    expect(text).toBe('Hello');
    expect(warnings.join()).toContain('event stream');
  });

  test.each(unstreamed)('is read where none was requested: %s', async (_, way) => {
    const { text, warnings } = await readScript(way, script);
    expect(text).toBe('Hello');
    const isUnusual = script.body.includes('data:');
    expect(warnings).toHaveLength(isUnusual ? 1 : 0);
  });
});

const half = JSON.stringify(chunk([{ index: 0, delta: { content: 'Hel' } }]));
const rest = JSON.stringify(chunk([{ index: 0, delta: { content: 'lo' } }]));

test.each([
  ['a line', [`${half}\n`], 'text/event-stream'],
  ['lines', [`${half}\n`, `${rest}\n`], 'text/event-stream'],
  ['lines of messages', [half, rest].map((line) => `${line.replace('delta', 'message')}\n`), ''],
  ['a line of another type', [`${half}\n`], 'application/x-ndjson'],
  ['lines of another type', [`${half}\n`, `${rest}\n`], 'application/x-ndjson'],
])('chunks that are %s of JSON are no complete stream', async (_, pieces, type) => {
  const gateway = clientOf(streamingFetch(pieces, 'close', { 'content-type': type }));
  const final = gateway.chat.completions.stream(params).final();
  expect((await rejection(PolygateError, final)).outcome).toBe('unknown');
});

test('a finished completion ends the stream although its body stays open', async () => {
  const gateway = clientOf(streamingFetch([completion], 'stall'));
  const { choices } = await gateway.chat.completions.stream(params).final();
  expect(choices[0]?.message.content).toBe('Hello');
});

test.each(unstreamed)('a body of much white space is an error at once: %s', async (_, way) => {
  const body = `{${' '.repeat(5_000)}x`;
  const error = await rejection(PolygateError, readScript(way, { body, type: '' }));
  expect(error.outcome).toBe('unknown');
});

const unreadable = {
  HTML: '<html>data: 1</html>',
  'a half completion': completion.slice(0, 40),
  'another record': '{"status":"ok"}',
  'a sentence': 'Welcome to data: 5',
  'an error as JSON': JSON.stringify({ error: overloaded }),
};

describe.each(Object.entries(unreadable))('%s', (_, body) => {
  test.each([...streamed, ...unstreamed])('is an error: %s', async (_way, way) => {
    const error = await rejection(PolygateError, readScript(way, { body, type: 'text/plain' }));
    expect(error.outcome).toBe('unknown');
    expect(error.message).toContain(body.slice(0, 10));
  });
});
