import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { createPolygate } from '../../../src/integrations/ai-sdk/index.ts';
import { cutReason } from '../../../src/tools/cli/chat.ts';
import { readScript, streamedWays, unstreamedWays } from '../../support/byte-script.ts';
import {
  chunk,
  doneEvent,
  event,
  finishEvent,
  params,
  textEvent,
} from '../../support/event-stream.ts';

interface WithGateway {
  readonly gateway: Polygate;
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const message = { role: 'assistant', content: 'Hello' };
const completion = (fields: object) =>
  JSON.stringify(chunk([{ index: 0, message, finish_reason: 'stop', ...fields }]));

describe.each([
  ['MAX_TOKENS', 'length', 'length'],
  ['max_output_tokens', 'length', 'length'],
  ['STOP', 'stop', undefined],
  ['end_turn', 'stop', undefined],
  ['tool_use', 'tool-calls', undefined],
  ['SAFETY', 'content-filter', 'content_filter'],
  ['pause_turn', 'other', undefined],
])('the finish reason %s', (raw, unified, cut) => {
  const streamed = textEvent('Hello') + finishEvent(raw) + doneEvent;
  const unstreamed = completion({ finish_reason: raw });

  test('stays as sent, and the commands know its meaning', async () => {
    const final = async ({ gateway }: WithGateway) =>
      JSON.stringify(await gateway.chat.completions.stream(params).final());
    const create = async ({ gateway }: WithGateway) =>
      JSON.stringify(await gateway.chat.completions.create(params));
    const json = 'application/json';
    for (const { text } of [
      await readScript(final, { body: streamed }),
      await readScript(create, { body: unstreamed, type: json }),
    ]) {
      const received = JSON.parse(text);
      expect(received.choices[0].finish_reason).toBe(raw);
      expect(cutReason(received)).toBe(cut);
    }
  });

  test(`is ${unified} for the AI SDK`, async () => {
    const reasonOf = async ({ gateway }: WithGateway) => {
      const { stream } = await createPolygate({ client: gateway })('m').doStream({ prompt });
      for await (const part of stream) {
        if (part.type === 'finish') return JSON.stringify(part.finishReason);
      }
      return 'none';
    };
    const generated = async ({ gateway }: WithGateway) => {
      const { finishReason } = await createPolygate({ client: gateway })('m').doGenerate({
        prompt,
      });
      return JSON.stringify(finishReason);
    };
    const expected = { unified, raw };
    const { text } = await readScript(reasonOf, { body: streamed });
    expect(JSON.parse(text)).toEqual(expected);
    const other = await readScript(generated, { body: unstreamed, type: 'application/json' });
    expect(JSON.parse(other.text)).toEqual(expected);
  });
});

test.each([null, '', 'null', 'none', 'FINISH_REASON_UNSPECIFIED', 'in_progress'])(
  'the finish reason %j does not end a stream without [DONE]',
  async (reason) => {
    const unfinished = event(
      chunk([{ index: 0, delta: { content: 'Hel' }, finish_reason: reason }]),
    );
    await expect(readScript(streamedWays['final()'], { body: unfinished })).rejects.toMatchObject({
      name: 'StreamTruncatedError',
    });
    const { text } = await readScript(streamedWays['final()'], {
      body: unfinished + textEvent('lo') + finishEvent('END_TURN'),
    });
    expect(text).toBe('Hello');
  },
);

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

test.each<[string, string, string]>([
  [
    'the last choice',
    'text/event-stream',
    event(chunk([{ index: 0, delta: {}, finish_reason: 'stop', usage }])),
  ],
  [
    'the only chunk',
    'text/event-stream',
    event(chunk([{ message, finish_reason: 'stop', usage }])),
  ],
  [
    'a chunk after the finish reason',
    'text/event-stream',
    finishEvent() + event(chunk([{ index: 0, usage }])),
  ],
  [
    'a choice whose chunk has none',
    'text/event-stream',
    event(chunk([{ index: 0, delta: {}, finish_reason: 'stop', usage }], { usage: null })),
  ],
  ['a choice that is not streamed', 'application/json', completion({ usage })],
])('the usage in %s is that of the completion', async (_, type, body) => {
  const isStream = type === 'text/event-stream';
  const { text } = await readScript(
    async ({ gateway: { chat } }) => {
      const received = isStream
        ? await chat.completions.stream(params).final()
        : await chat.completions.create(params);
      return JSON.stringify(received.usage);
    },
    { body: isStream ? body + doneEvent : body, type },
  );
  expect(JSON.parse(text)).toEqual(usage);
});

test('an image of 24 MB arrives whether it is streamed or not', async () => {
  const content = `data:image/png;base64,${'A'.repeat(24 * 1024 * 1024)}`;
  const body = textEvent(content) + finishEvent() + doneEvent;
  const { text } = await readScript(streamedWays['final()'], { body });
  expect(text.length).toBe(content.length);
  const large = completion({ message: { content } });
  const other = await readScript(unstreamedWays['create()'], {
    body: large,
    type: 'application/json',
  });
  expect(other.text.length).toBe(content.length);
});
