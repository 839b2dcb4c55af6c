import { expect, test } from 'vitest';
import * as z from 'zod';

import { Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { ScriptedReply } from '../../../src/mock/index.ts';

function start(...replies: ScriptedReply[]) {
  const mock = createMockGateway({ clock: 'virtual' });
  const { apiKey, baseURL, fetch, clock } = mock;
  const { chat } = new Polygate({ apiKey, baseURL, fetch, clock });
  const injected = replies.map((reply) => mock.reply(reply));
  const ask = async (content: string, model = 'aurora-chat') => {
    const messages = [{ role: 'user' as const, content }];
    const { choices } = await chat.completions.create({ model, messages });
    return choices[0]!.message.content;
  };
  return { mock, chat, injected, ask };
}

test('a reply is sent for the model and the message that it names, and other requests respond as before', async () => {
  const { ask } = start({ model: 'aurora-chat', match: 'weather', text: 'It is sunny.' });
  expect(await ask('How is the weather?')).toBe('It is sunny.');
  expect(await ask('How is the weather?', 'lumen/vision-chat')).toMatch(/^You said/);
  expect(await ask('How are you?')).toMatch(/^You said/);
});

test('a reply is sent `times` times, then the next one, and it can be removed', async () => {
  const { ask, injected } = start({ text: 'first', times: 2 }, { match: /a/g, text: 'second' });
  const received = [];
  for (let request = 0; request < 4; request += 1) received.push(await ask('a'));
  expect(received).toEqual(['first', 'first', 'second', 'second']);
  expect(injected.map(({ requests }) => requests)).toEqual([2, 2]);
  injected[1]!.remove();
  expect(await ask('a')).toMatch(/^You said/);
});

test('a stream sends the chunks of a reply as they are, and is charged for them', async () => {
  const { mock, chat } = start({ chunks: ['Hel', 'lo, ', 'wor', 'ld'] });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const stream = chat.completions.stream({ model: 'aurora-chat', messages });
  const texts = [];
  for await (const text of stream.text()) texts.push(text);
  expect(texts).toEqual(['Hel', 'lo, ', 'wor', 'ld']);
  const { choices } = await stream.final();
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello, world' } });
  expect(mock.invoice[0]?.usd).toBeGreaterThan(0);
});

test('a scripted conversation calls a tool and then responds', async () => {
  const call = { name: 'get_weather', arguments: { city: 'Oslo' } };
  const { chat } = start({ toolCalls: [call], times: 1 }, { text: 'Oslo is sunny.' });
  const cities: string[] = [];
  const { completion } = await chat.completions.run({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Weather?' }],
    tools: [
      {
        name: 'get_weather',
        parameters: z.object({ city: z.string() }),
        execute: ({ city }) => {
          cities.push(city);
          return 'sunny';
        },
      },
    ],
  });
  expect(cities).toEqual(['Oslo']);
  expect(completion.choices[0]?.message.content).toBe('Oslo is sunny.');
});

test.each<[string, object, string]>([
  ['an unknown field', { txt: 'a' }, 'text'],
  ['no content', { model: 'aurora-chat' }, 'exactly one'],
  ['two contents', { text: 'a', chunks: ['b'] }, 'exactly one'],
])('a reply with %s is a ConfigurationError', (_, reply, message) => {
  expect(() => start(reply)).toThrow(message);
});
