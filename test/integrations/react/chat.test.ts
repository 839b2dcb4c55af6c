import { describe, expect, test, vi } from 'vitest';

import type { ChatOptions } from '../../../src/integrations/react/store/chat-state.ts';
import { eventually } from '../../support/eventually.ts';
import { tool } from '../../support/tools.ts';
import { onMock, rejection } from './setup.ts';
import { chatKey, memoryStorage, openChat } from './support.ts';

const route = 'POST /v1/chat/completions';
const bodies = (mock: { requests: readonly { body: unknown }[] }): any[] =>
  mock.requests.map(({ body }) => body);

describe('a chat', () => {
  test('streams a response, with its usage', async () => {
    const { mock, gateway } = onMock();
    const chat = openChat(gateway);
    const message = await chat.store.send('Describe a harbor');
    expect(chat.now).toMatchObject({ status: 'idle', error: undefined });
    expect(chat.now.messages).toEqual([{ role: 'user', content: 'Describe a harbor' }, message]);
    expect(message?.content).toContain('You said: Describe a harbor');
    expect(chat.now.usage?.total_tokens).toBeGreaterThan(0);
    expect(bodies(mock)[0]).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('sends the conversation, params and parts, and no internal fields', async () => {
    const { mock, gateway } = onMock();
    const messages = [{ role: 'system' as const, content: 'Be brief.' }];
    const chat = openChat(gateway, { messages, temperature: 0.5, id: 'main' });
    await chat.store.send('One');
    const { messages: before } = chat.now;
    await chat.store.send([{ type: 'text', text: 'Two' }]);
    const [, second] = bodies(mock);
    expect(second.messages).toEqual([
      ...before,
      { role: 'user', content: [{ type: 'text', text: 'Two' }] },
    ]);
    expect(Object.keys(second).toSorted()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
      'temperature',
    ]);
  });

  test('rejects a second message while a response is streaming', async () => {
    const { mock, gateway } = onMock();
    const chat = openChat(gateway);
    const first = chat.store.send('One');
    expect(await rejection(chat.store.send('Two'))).toMatchObject({ code: 'chat_pending' });
    expect(await rejection(chat.store.retry())).toMatchObject({ code: 'chat_pending' });
    await first;
    expect(mock.invoice).toHaveLength(1);
  });

  test('draws once per animation frame, and the end immediately', async () => {
    const { gateway } = onMock();
    const frames: (() => void)[] = [];
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
    try {
      const chat = openChat(gateway);
      await chat.store.send('Describe a harbor');
      expect(frames).toHaveLength(1);
      // The question, and the complete response.
      expect(chat.snapshots).toHaveLength(3);
      const { now } = chat;
      frames[0]?.();
      expect(chat.now).toBe(now);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('a response that is cut off', () => {
  const brokenChat = async (options: Partial<ChatOptions> = {}) => {
    const { mock, gateway } = onMock();
    mock.fail({ route, cutStreamAfter: 3, times: 1 });
    const chat = openChat(gateway, options);
    expect(await chat.store.send('Describe a harbor')).toBeUndefined();
    return { mock, chat };
  };

  test('stays as incomplete, with an unknown outcome', async () => {
    const { chat } = await brokenChat();
    expect(chat.now).toMatchObject({
      status: 'error',
      error: { name: 'StreamTruncatedError', outcome: 'unknown' },
      messages: [{ role: 'user' }, { role: 'assistant', incomplete: true }],
    });
    expect(chat.now.messages[1]?.content).toMatch(/^You/);
  });

  test('is sent as context of the next message', async () => {
    const { mock, chat } = await brokenChat();
    const { content } = chat.now.messages[1] ?? {};
    await chat.store.send('Continue');
    const [, second] = bodies(mock);
    expect(second.messages[1]).toMatchObject({ role: 'assistant', content });
    expect(second.messages[1]).not.toHaveProperty('incomplete');
    expect(chat.now.messages).toHaveLength(4);
  });

  test('is replaced by a retry', async () => {
    const { mock, chat } = await brokenChat();
    await chat.store.retry();
    const [first, second] = bodies(mock);
    expect(second.messages).toEqual(first.messages);
    expect(chat.now).toMatchObject({ status: 'idle', error: undefined });
    expect(chat.now.messages).toHaveLength(2);
    expect(chat.now.messages[1]).not.toHaveProperty('incomplete');
    expect(await rejection(chat.store.retry())).toMatchObject({ code: 'nothing_to_retry' });
    expect(mock.requests).toHaveLength(2);
  });

  test('is stored', async () => {
    const { storage } = memoryStorage();
    const { chat } = await brokenChat({ storage, id: 'main' });
    const reloaded = openChat(onMock().gateway, { storage, id: 'main' });
    await eventually(() => expect(reloaded.now.messages).toEqual(chat.now.messages));
  });
});

test('a rejected request says that nothing was charged, and can be retried', async () => {
  const { mock, gateway } = onMock();
  mock.fail({ route, status: 402, times: 1 });
  const chat = openChat(gateway);
  await chat.store.send('Hello');
  expect(chat.now).toMatchObject({ status: 'error', error: { outcome: 'rejected' } });
  expect(chat.now.messages).toHaveLength(1);
  await chat.store.retry();
  expect(chat.now.messages).toHaveLength(2);
});

describe('stop', () => {
  test('keeps what has arrived, and frees the concurrency slot', async () => {
    const { mock, gateway } = onMock({ clock: 'system', chunkDelayMs: 5 }, { clock: undefined });
    const chat = openChat(gateway);
    const response = chat.store.send('Describe a harbor '.repeat(50));
    await eventually(() => expect(chat.now.messages[1]?.content).toMatch(/^You/));
    chat.store.stop();
    expect(chat.now).toMatchObject({ status: 'idle', error: undefined });
    expect(chat.now.messages[1]).toMatchObject({ incomplete: true });
    expect(await response).toBeUndefined();
    await eventually(() => expect(mock.inFlight).toBe(0));
  });

  test('happens when the component is unmounted', async () => {
    const { mock, gateway } = onMock({ clock: 'system', chunkDelayMs: 5 }, { clock: undefined });
    const chat = openChat(gateway);
    const response = chat.store.send('Describe a harbor '.repeat(50));
    await eventually(() => expect(mock.inFlight).toBe(1));
    chat.unmount();
    expect(await response).toBeUndefined();
    await eventually(() => expect(mock.inFlight).toBe(0));
  });
});

describe('tools', () => {
  test('run as in chat.completions.run, and the final response streams', async () => {
    const { mock, gateway } = onMock();
    const weather = tool('weather');
    const chat = openChat(gateway, { tools: [weather] });
    const message = await chat.store.send('What is the weather in Paris?');
    expect(weather.calls).toHaveLength(1);
    expect(chat.now.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(chat.now.messages.at(-1)).toBe(message);
    for (const body of bodies(mock)) expect(body.stream).toBe(true);
    expect(mock.invoice).toHaveLength(2);
  });

  test('that are stopped leave no call without a result', async () => {
    const { mock, gateway } = onMock();
    const stopped = vi.fn<() => void>();
    const weather = tool('weather', (_, { signal }) => {
      signal.addEventListener('abort', stopped);
      chat.store.stop();
      return new Promise(() => undefined);
    });
    const chat = openChat(gateway, { tools: [weather] });
    expect(await chat.store.send('What is the weather in Paris?')).toBeUndefined();
    expect(stopped).toHaveBeenCalledOnce();
    expect(chat.now.status).toBe('idle');
    expect(chat.now.messages).toHaveLength(1);
    expect(mock.requests).toHaveLength(1);
  });

  test('keep their results when a later response is cut off', async () => {
    const { mock, gateway } = onMock();
    const weather = tool('weather', () => {
      mock.fail({ route, cutStreamAfter: 3, times: 1 });
      return 'sunny';
    });
    const chat = openChat(gateway, { tools: [weather] });
    await chat.store.send('What is the weather in Paris?');
    expect(chat.now.status).toBe('error');
    expect(chat.now.messages.at(-1)).toMatchObject({ incomplete: true });
    await chat.store.retry();
    expect(chat.now.status).toBe('idle');
    // The first round is paid for once.
    expect(weather.calls).toHaveLength(1);
    expect(mock.requests).toHaveLength(3);
  });

  test('are not called in more than maxRounds requests', async () => {
    const { gateway } = onMock();
    const chat = openChat(gateway, { tools: [tool('weather')], maxRounds: 1 });
    await chat.store.send('What is the weather in Paris?');
    expect(chat.now).toMatchObject({ status: 'error', error: { name: 'ToolRoundsError' } });
    expect(chat.now.messages).toHaveLength(1);
  });
});

test('a conversation is stored, and shown in another tab', async () => {
  const { gateway } = onMock();
  const { storage } = memoryStorage();
  const one = openChat(gateway, { storage });
  const two = openChat(gateway, { storage });
  await one.store.send('Hello');
  await eventually(() => expect(two.now.messages).toEqual(one.now.messages));
});

test.each([
  '{"v":1,"messages":[7]}',
  '{"v":1,"messages":[],"ids":7}',
  '{"v":1,"messages":[],"ids":[7]}',
  '{"v":1,"messages":[],"removed":{}}',
  '[]',
])('a conversation that was edited to %s is ignored, and replaced', async (text) => {
  const { gateway } = onMock();
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const { storage, items } = memoryStorage({ [chatKey]: text });
  const chat = openChat(gateway, { storage });
  await chat.store.send('Hello');
  expect(chat.now.messages).toHaveLength(2);
  expect(JSON.parse(items.get(chatKey) ?? '')).toMatchObject({ messages: chat.now.messages });
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
