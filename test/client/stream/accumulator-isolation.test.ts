import { describe, expect, test } from 'vitest';

import {
  chunk,
  deltaEvent,
  doneEvent,
  event,
  finishEvent,
  streamOf,
  textEvent,
} from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** The completion that `final()` returns for these events. */
async function final(...events: string[]) {
  return streamOf([...events, doneEvent]).final();
}

/** An event with a chunk whose only choice has these fields. */
function choice(fields: object): string {
  return event(chunk([{ index: 0, delta: {}, finish_reason: null, ...fields }]));
}

/** An event with a chunk that adds a fragment to a tool call. */
function callEvent(fields: object): string {
  return deltaEvent({ tool_calls: [{ index: 0, ...fields }] });
}

describe('hostile keys', () => {
  const hostile = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';

  test.each([
    ['the chunk', `{${hostile},"choices":[{"index":0,"delta":{"content":"a"}}]}`],
    ['the choice', `{"choices":[{"index":0,${hostile},"delta":{"content":"a"}}]}`],
    ['the delta', `{"choices":[{"index":0,"delta":{"content":"a",${hostile}}}]}`],
    [
      'a tool call',
      `{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,${hostile}}]}}]}`,
    ],
    ['usage', `{"usage":{${hostile}},"choices":[{"index":0,"delta":{"content":"a"}}]}`],
    [
      'log probabilities',
      `{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{${hostile}}}]}`,
    ],
  ])('in %s modify no prototype', async (_, record) => {
    const completion = await final(`data: ${record}\n\n`, `data: ${record}\n\n`, finishEvent());
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    const [first] = completion.choices;
    const { message: reply, logprobs } = first ?? {};
    for (const value of [completion, first, reply, reply?.tool_calls?.[0], logprobs]) {
      if (typeof value !== 'object' || value === null) continue;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Reflect.get(value, 'polluted')).toBeUndefined();
    }
    expect(reply?.content).toBe('aa');
  });

  test('with lists in log probabilities modify no prototype', async () => {
    const hostileLists = '{"__proto__":[1],"constructor":[2],"content":[3]}';
    const record = `{"choices":[{"index":0,"delta":{},"logprobs":${hostileLists}}]}`;
    const completion = await final(
      choice({ logprobs: { content: [1] } }),
      `data: ${record}\n\n`,
      finishEvent(),
    );
    const { logprobs } = completion.choices[0] ?? {};
    expect(Object.getPrototypeOf(logprobs)).toBe(Object.prototype);
  });
});

test('later chunks do not change the chunks that were already yielded', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:,a' } };
  const events = [
    choice({ delta: { content: 'a', images: [image] }, logprobs: { content: [1] } }),
    callEvent({ id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }),
    choice({ delta: { content: 'b', images: [image] }, logprobs: { content: [2] } }),
    callEvent({ function: { arguments: '}' } }),
    finishEvent(),
  ];
  const stream = streamOf([...events, doneEvent]);
  const chunks = await collect(stream);
  await stream.final();
  expect(chunks).toEqual(
    events.map((text) => {
      const record: unknown = JSON.parse(text.slice('data: '.length));
      return record;
    }),
  );
});

test('a caller that changes a chunk does not change the completion', async () => {
  const events = [textEvent('a'), textEvent('b'), finishEvent()];
  // The events arrive one by one, or all at once.
  for (const pieces of [events, [events.join('')]]) {
    const stream = streamOf([...pieces, doneEvent]);
    for await (const received of stream) {
      received.model = 'changed';
      for (const each of received.choices) {
        each.delta.content = 'changed';
        each.finish_reason = 'length';
      }
      received.choices = [];
    }
    const completion = await stream.final();
    expect(completion.model).toBe('m');
    expect(completion.choices).toMatchObject([
      { message: { content: 'ab' }, finish_reason: 'stop' },
    ]);
  }
});
