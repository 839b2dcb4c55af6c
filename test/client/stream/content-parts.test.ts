import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ChatStream, extractImages, StreamError } from '../../../src/index.ts';
import {
  clientOf,
  deltaEvent,
  doneEvent,
  finishEvent,
  params,
  streamingFetch,
  streamOf,
} from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image_url', image_url: { url: 'https://host.example/a.png' } };
const thinking = (value: string) => ({ type: 'thinking', thinking: [text(value)] });

const events = (...contents: readonly unknown[]) => [
  ...contents.map((each) => deltaEvent({ content: each })),
  finishEvent(),
  doneEvent,
];

/** The content of the first message that `final()` returns for deltas with these contents. */
async function content(...contents: readonly unknown[]): Promise<unknown> {
  return (await streamOf(events(...contents)).final()).choices[0]?.message.content;
}

describe('streamed content that is an array of parts', () => {
  test.each([
    ['text only', [[text('Hel')], [text('lo')]], [text('Hello')]],
    [
      'text around other parts',
      [[text('a'), image, text('b')], [text('c')], [image]],
      [text('a'), image, text('bc'), image],
    ],
    ['a string, then parts', ['He', 'l', [text('lo'), image]], [text('Hello'), image]],
    [
      'parts, then strings',
      [[thinking('Hm')], [thinking('…')], 'Hel', 'lo'],
      [thinking('Hm'), thinking('…'), text('Hello')],
    ],
    ['strings in an array', [['a', 'b'], 'c'], [text('abc')]],
    ['null and empty arrays between strings', ['a', null, [], 'b'], 'ab'],
    [
      'text parts with other fields, which stay separate',
      [[{ ...text('a'), annotations: [1] }], [text('b')]],
      [{ ...text('a'), annotations: [1] }, text('b')],
    ],
    ['unknown items', [[7, null, { type: 'x' }], 'a'], [7, null, { type: 'x' }, text('a')]],
  ])('is kept: %s', async (_, contents, expected) => {
    expect(await content(...contents)).toEqual(expected);
  });

  test('yields its text with text()', async () => {
    const contents = [
      'a',
      [text('b'), image, thinking('Hm')],
      [{ type: 'output_text', text: 'c' }],
    ];
    expect(await collect(streamOf(events(...contents)).text())).toEqual(['a', 'b', 'c']);
  });

  test('yields objects with partialObjects() and is parsed with a schema', async () => {
    const contents = [[thinking('Hm')], [text('{"city":"Pa')], 'ris"', [text('}')]];
    const schema = z.object({ city: z.string() });
    const fetch = streamingFetch(events(...contents));
    const stream = clientOf(fetch).chat.completions.stream({ ...params, response_format: schema });
    const cities: unknown[] = [];
    for await (const { city } of stream.partialObjects()) cities.push(city);
    expect(cities).toEqual(['Pa', 'Paris', 'Paris']);
    expect((await stream.final()).parsed).toEqual({ city: 'Paris' });
  });

  test('is relayed', async () => {
    const contents = ['a', [image, text('b')]];
    const relayed = ChatStream.fromReadableStream(streamOf(events(...contents)).toReadableStream());
    const { choices } = await relayed.final();
    expect(choices[0]?.message.content).toEqual([text('a'), image, text('b')]);
  });

  test('does not change in partial when later chunks arrive', async () => {
    const stream = streamOf(events([image, text('a')], 'b', [image]));
    const partials: unknown[] = [];
    for await (const _ of stream) partials.push(stream.partial?.choices[0]?.message.content);
    expect(partials.slice(0, 3)).toEqual([
      [image, text('a')],
      [image, text('ab')],
      [image, text('ab'), image],
    ]);
  });

  test.each([7, true, { text: 'a' }])('is rejected if it is neither: %j', async (value) => {
    await expect(content(value)).rejects.toBeInstanceOf(StreamError);
  });
});

test('reasoning that is an array of parts is kept', async () => {
  const deltas = [{ reasoning: 'a' }, { reasoning: [thinking('b')] }, { reasoning: 'c' }];
  const pieces = deltas.map((delta) => deltaEvent(delta));
  const { choices } = await streamOf([...pieces, finishEvent(), doneEvent]).final();
  expect(choices[0]?.message.reasoning).toEqual([text('a'), thinking('b'), text('c')]);
});

describe('a completion whose content is an array of parts', () => {
  const parts = [thinking('Hm'), text('{"city":'), image, text('"Paris"}')];
  const choices = [{ index: 0, message: { role: 'assistant', content: parts } }];
  const { completions } = clientOf(async () => Response.json({ id: 'c', choices })).chat;

  test('is returned as is, with its images', async () => {
    const completion = await completions.create(params);
    expect(completion.choices[0]?.message.content).toEqual(parts);
    expect(extractImages(completion)).toEqual([{ url: image.image_url.url }]);
  });

  test('is parsed with a schema', async () => {
    const schema = z.object({ city: z.string() });
    const completion = await completions.parse({ ...params, response_format: schema });
    expect(completion.parsed).toEqual({ city: 'Paris' });
  });
});
