import { AbstractChat, DefaultChatTransport } from 'ai';
import type { ChatState, UIMessage } from 'ai';
import { createMockGateway } from 'polygate/mock';
import type { Fault, MockGatewayOptions } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { createAiSdkRoute } from '../../playground/lab/ai-sdk.ts';
import { Recorder } from '../../playground/lab/recorder.ts';
import { eventually } from '../support/eventually.ts';

const origin = 'http://playground.example';
const route = 'POST /v1/chat/completions';

/** The class that `useChat` is built on, with plain fields as its state. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(fetch: typeof globalThis.fetch) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => state.messages.push(message),
      popMessage: () => state.messages.pop(),
      replaceMessage: (index, message) => state.messages.splice(index, 1, structuredClone(message)),
      snapshot: (value) => structuredClone(value),
    };
    super({ state, transport: new DefaultChatTransport({ api: `${origin}/api/chat`, fetch }) });
  }

  /** What the route has sent as the text of the error. */
  get problem(): unknown {
    return this.error && JSON.parse(this.error.message);
  }

  get text(): string | undefined {
    if (this.lastMessage?.role !== 'assistant') return undefined;
    return this.lastMessage.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
}

/** The route over a reference gateway, and a chat that uses it. */
function setUp({ fault, ...options }: MockGatewayOptions & { fault?: Fault } = {}) {
  const apiKey = 'sk-canary';
  const mock = createMockGateway({ keys: [{ key: apiKey }], ...options });
  if (fault) mock.fail({ route, ...fault });
  const recorder = new Recorder(() => {});
  const fetch = recorder.record((input, init) => mock.fetch(input, init));
  const handle = createAiSdkRoute({ apiKey, baseURL: 'http://127.0.0.1', fetch }, [origin]);
  const chat = new PlainChat(async (input, init) => {
    const headers = { ...Object(init?.headers), origin };
    return handle(new Request(input, { ...init, headers }));
  });
  const send = () => chat.sendMessage({ text: 'Describe a harbor' }, { body: { model } });
  return { mock, recorder, chat, handle, send };
}

const model = 'aurora-chat';

/** A problem whose request may have been charged, as the page shows it: the request is apart, without advice for code. */
const lost = (name: string) => ({
  name,
  message: expect.stringMatching(/may (have been charged|charge you again)[^[]*\.$/),
  summary: expect.not.stringContaining('charge'),
  request: expect.stringMatching(/^POST \/v1\/chat\/completions/),
  outcome: 'unknown',
});

describe('the chat through the AI SDK', () => {
  test('streams the response, and sends its tokens and its charge', async () => {
    const { mock, chat, send } = setUp();
    await send();
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.text).toContain('harbor');
    expect(chat.lastMessage?.metadata).toEqual({
      tokens: { input: expect.any(Number), output: expect.any(Number) },
      costUsd: mock.invoice[0]?.usd,
    });
  });

  test('sends the instructions and the sampling settings, and nothing else that the page sends', async () => {
    const { mock, chat } = setUp();
    const settings = { instructions: 'Be terse.', temperature: 0.4, topP: '1', maxOutputTokens: 5 };
    const body = { model, ...settings, headers: { 'x-page': 'yes' } };
    await chat.sendMessage({ text: 'Describe a harbor' }, { body });
    expect(mock.requests[0]?.headers).not.toHaveProperty('x-page');
    expect(mock.requests[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be terse.' },
        { role: 'user', content: 'Describe a harbor' },
      ],
      temperature: 0.4,
      max_tokens: 5,
    });
    expect(mock.requests[0]?.body).not.toHaveProperty('top_p');
  });

  test('reports a truncated stream as an error after the message so far, with one charge', async () => {
    const { mock, chat, send } = setUp({ fault: { cutStreamAfter: 5 } });
    await send();
    expect(chat.status).toBe('error');
    expect(chat.text).toMatch(/^You said/);
    expect(chat.problem).toMatchObject(lost('StreamTruncatedError'));
    expect(mock.invoice).toHaveLength(1);
    expect(mock.requests).toHaveLength(1);
  });

  test('reports a lost response as an error, and does not send the message again', async () => {
    const { mock, chat, send } = setUp({ fault: { reset: 'after' } });
    await send();
    expect(chat.status).toBe('error');
    expect(chat.text).toBeUndefined();
    expect(chat.problem).toMatchObject(lost('ConnectionError'));
    expect(mock.invoice).toHaveLength(1);
    expect(mock.requests).toHaveLength(1);
  });

  test('aborts the request to the gateway when the chat is stopped', async () => {
    const { mock, recorder, chat, send } = setUp({ chunkDelayMs: 20 });
    const sent = send();
    await eventually(() => expect(chat.text).toMatch(/^You/));
    await chat.stop();
    await sent;
    await eventually(() => expect(recorder.attempts[0]?.state).toBe('aborted'));
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each([
    ['another site', { origin: 'https://other.example' }, { model, messages: [] }, 403],
    ['a caller that is not a page', {}, { model, messages: [] }, 403],
    ['a body without a model', { origin }, { messages: [] }, 400],
    ['a body without messages', { origin }, { model }, 400],
  ])('rejects %s without a charge', async (_, headers, body, status) => {
    const { mock, handle } = setUp();
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await handle(new Request(`${origin}/api/chat`, init));
    expect([response.status, mock.requests.length]).toEqual([status, 0]);
  });
});
