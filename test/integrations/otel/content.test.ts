import { describe, expect, test } from 'vitest';

import { APIError } from '../../../src/index.ts';
import type { ChatMessage, TelemetryCall } from '../../../src/index.ts';
import { observed } from './observed.ts';
import { chat, completion, meta, metaOf, recording, submission } from './support.ts';

const withBody = (body: unknown): TelemetryCall => ({ ...chat, body: JSON.stringify(body) });

function captured(call: TelemetryCall, data?: unknown) {
  const { attributes } = recording({ captureContent: true }).run(call, { data });
  const parse = (name: string) => {
    const text = attributes[name];
    return typeof text === 'string' ? JSON.parse(text) : text;
  };
  return { input: parse('gen_ai.input.messages'), output: parse('gen_ai.output.messages') };
}

const dataUrl = 'data:image/png;base64,iVBORw==';

describe('with captureContent, a chat records', () => {
  test('its input messages', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief' },
      {
        role: 'user',
        name: 'Ada',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: dataUrl } },
          { type: 'image_url', image_url: { url: 'https://files.example/a.png' } },
          { type: 'video_url', video_url: { url: 'https://files.example/a.mp4' } },
          { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
          { type: 'file', file: { file_id: 'file_1' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } },
        ],
      },
      {
        role: 'assistant',
        reasoning_content: 'I need the weather.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'weather', arguments: '{"in":"X"}' },
          },
          { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"in' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rainy' },
      { role: 'assistant', refusal: 'No', audio: { id: 'audio_1' } },
    ];
    expect(captured(withBody({ model: 'aurora-chat', messages })).input).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief' }] },
      {
        role: 'user',
        name: 'Ada',
        parts: [
          { type: 'text', content: 'What is this?' },
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'iVBORw==' },
          { type: 'uri', modality: 'image', uri: 'https://files.example/a.png' },
          { type: 'uri', modality: 'video', uri: 'https://files.example/a.mp4' },
          { type: 'blob', modality: 'audio', mime_type: 'audio/mpeg', content: 'SUQz' },
          { type: 'file', modality: 'document', file_id: 'file_1' },
          { type: 'blob', modality: 'document', mime_type: 'application/pdf', content: 'JVBE' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'I need the weather.' },
          { type: 'tool_call', id: 'call_1', name: 'weather', arguments: { in: 'X' } },
          { type: 'tool_call', id: 'call_2', name: 'weather', arguments: '{"in' },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'call_1', response: 'rainy' }],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'refusal', content: 'No' },
          { type: 'file', modality: 'audio', file_id: 'audio_1' },
        ],
      },
    ]);
  });

  test('one output message per choice', () => {
    const message = {
      role: 'assistant',
      content: 'Here',
      reasoning: 'Think',
      images: [{ image_url: { url: dataUrl } }],
      audio: { id: 'audio_1', data: 'UklG', transcript: 'Here' },
    };
    const choices = [{ message, finish_reason: 'stop' }, ...completion.choices.slice(1)];
    expect(captured(chat, { choices }).output).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Think' },
          { type: 'text', content: 'Here' },
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'iVBORw==' },
          { type: 'blob', modality: 'audio', content: 'UklG', transcript: 'Here' },
        ],
        finish_reason: 'stop',
      },
      { role: 'assistant', parts: [{ type: 'text', content: 'Half a' }], finish_reason: null },
    ]);
  });

  test('what it can read of unexpected values', () => {
    const content = [{ type: 'poem', lines: 2 }, { lines: 3 }, 4, { type: 'text', text: 5 }];
    const messages = [null, { role: 'user', content }, { content: 6, tool_calls: [{}] }];
    expect(captured(withBody({ messages })).input).toEqual([
      { role: 'assistant', parts: [] },
      { role: 'user', parts: [{ type: 'poem', lines: 2 }] },
      { role: 'assistant', parts: [{ type: 'tool_call' }] },
    ]);
    for (const body of ['{"messages":', '[]', '{"messages":{}}', undefined]) {
      expect(captured({ ...chat, body }, 'text')).toEqual({});
    }
  });
});

test('JSON that is nested too deeply is not recorded, but the span is', async () => {
  const { gateway, settle, span } = observed({}, {}, true);
  const nested = '['.repeat(50_000) + ']'.repeat(50_000);
  const called = { name: 'draw', arguments: nested };
  const call = { id: 'call_1', type: 'function', function: called } as const;
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Draw' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'drawn' },
  ];
  await settle(gateway.chat.completions.create({ model: 'aurora-chat', messages }));
  const { attributes } = span('chat aurora-chat');
  expect(attributes).not.toHaveProperty(['gen_ai.input.messages']);
  expect(attributes).toHaveProperty(['gen_ai.output.messages']);
});

test('no other operation records content', () => {
  expect(
    captured({ ...withBody({ messages: [{}] }), template: '/v1/images/tasks' }, completion),
  ).toEqual({});
});

test('without captureContent, nothing contains the key, prompts, responses or result URLs', async () => {
  const secret = 'a-secret';
  const body = JSON.stringify({ messages: [{ role: 'user', content: secret }], prompt: secret });
  const choices = [{ message: { role: 'assistant', content: secret }, finish_reason: 'stop' }];
  const data = { id: 'id_1', choices, urls: [secret], image_url: secret, result: { url: secret } };
  const error = new APIError(secret, { meta: meta('req-1'), body: secret, param: secret });
  const { run, spans, metrics } = recording();
  for (const call of [chat, submission]) {
    run({ ...call, body }, { data, meta: metaOf('req-1') });
    run({ ...call, body }, { error, data });
  }
  run({ type: 'wait', kind: 'image', id: 'id_1' }, { data });
  run({ type: 'generate', kind: 'image', model: 'prism-image' }, { data });
  const recorded = spans().map(({ name, attributes, events, links, status, resource }) => {
    return { name, attributes, events, links, status, resource: resource.attributes };
  });
  const text = JSON.stringify([recorded, await metrics()]);
  expect(text).toContain('req-1');
  expect(text).not.toMatch(/a-secret|sk-secret|messages/);
});
