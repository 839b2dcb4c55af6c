import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

import { PolygateError, ResponseValidationError, StreamError } from '../../../src/index.ts';
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

interface WithGateway {
  readonly gateway: Polygate;
}

/** The text that the openai package has read, in `read` where reading fails. */
function openaiReader(read: string[] = []) {
  return async ({ gateway }: WithGateway): Promise<string> => {
    const openai = new OpenAI({
      apiKey: 'unused',
      baseURL: `${gateway.baseURL}/v1`,
      fetch: gateway.fetch,
      maxRetries: 0,
    });
    const { model } = params;
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    for await (const { choices } of stream) {
      const text = choices[0]?.delta.content;
      if (text) read.push(text);
    }
    return read.join('');
  };
}

const message = { role: 'assistant', content: 'Hello' };
const completion = JSON.stringify(chunk([{ index: 0, message, finish_reason: 'stop' }]));
const pretty = JSON.stringify(JSON.parse(completion), null, 2);

describe('a streamed chat of the openai package', () => {
  test.each([
    ['application/json', completion],
    ['application/json; charset=utf-8', pretty],
    ['', completion],
    ['application/json', `${completion}\n\ndata: [DONE]\n\n`],
  ])('reads a completion of type %j that was sent at once', async (type, body) => {
    const { text, warnings } = await readScript(openaiReader(), { body, type });
    expect(text).toBe('Hello');
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ['a completion', completion],
    ['a completion over several lines', pretty],
    ['an error', JSON.stringify({ error: { message: 'overloaded' } })],
    ['a message', JSON.stringify({ message: 'overloaded' })],
  ])('never ends without an error after %s in an event stream', async (_, body) => {
    const reading = readScript(openaiReader(), { body, type: 'text/event-stream' });
    const error = await rejection(StreamError, reading);
    expect(error.outcome).toBe('unknown');
    expect(error.message).toMatch(/overloaded|JSON/);
  });

  test.each([
    ['an error', JSON.stringify({ error: { message: 'overloaded' } })],
    ['a message', JSON.stringify({ message: 'overloaded' })],
    ['another record', '{"id":"1"}'],
    ['no choices', '{"choices":[]}'],
    ['a half completion', completion.slice(0, 40)],
    ['HTML', '<html></html>'],
    ['nothing', ''],
  ])('never ends without an error after %s', async (_, body) => {
    for (const type of ['application/json', 'text/plain']) {
      const reading = readScript(openaiReader(), { body, type });
      const error = await rejection(ResponseValidationError, reading);
      expect(error.outcome).toBe('unknown');
      expect(error.message).toContain('expected an event stream');
    }
  });

  test.each([
    ['of any kind', event({ success: false, message: 'overloaded' }) + doneEvent],
    ['that only has a message', event({ message: 'overloaded' }) + doneEvent],
    ['in a choice', event(chunk([{ index: 0, finish_reason: 'error', error: 'overloaded' }]))],
    ['of an event type', `event: error\n${event({ message: 'overloaded' })}`],
  ])('delivers the text that came with a failure %s', async (_, failure) => {
    const read: string[] = [];
    const body = textEvent('Hal') + textEvent('f …') + failure;
    await expect(readScript(openaiReader(read), { body })).rejects.toThrow('overloaded');
    expect(read.join('')).toBe('Half …');
  });

  test('delivers the text that came with the end of a truncated stream', async () => {
    const read: string[] = [];
    const error = await rejection(
      PolygateError,
      readScript(openaiReader(read), { body: textEvent('Half') + doneEvent.slice(0, 4) }),
    );
    expect(error.outcome).toBe('unknown');
    expect(read).toEqual(['Half']);
  });

  test('ends after an ordinary stream', async () => {
    const body = textEvent('Hello') + finishEvent() + doneEvent;
    expect(await readScript(openaiReader(), { body })).toEqual({ text: 'Hello', warnings: [] });
  });
});
