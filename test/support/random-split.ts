import * as fc from 'fast-check';

import { deltaEvent } from './event-stream.ts';

/** Random decisions. */
type Decide = fc.GeneratorValue;

const words = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.constantFrom('a', 'b', ' ', '漢', '{', '"', '\u{1f680}'),
});
const name = fc.constantFrom('find', 'look_up', 'get_weather');
const args = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(words, fc.integer(), fc.constant([1, { d: '}' }])),
);

/** Cuts a text at random positions. */
function cut(decide: Decide, text: string): string[] {
  const positions = decide(fc.array, fc.nat({ max: text.length }), { maxLength: 4 });
  const sorted = [...positions.toSorted((a, b) => a - b), text.length];
  return sorted.map((end, index) => text.slice(sorted[index - 1] ?? 0, end));
}

/** The deltas of one field, in order. */
type Deltas = object[];

/** A random message, the first delta of its stream, and one list of other deltas for each of its fields. */
function randomMessage(decide: Decide): { message: object; first: object; fields: Deltas[] } {
  const fields: Deltas[] = [];
  const first: Record<string, unknown> = { role: 'assistant' };
  const message: Record<string, unknown> = { role: 'assistant', content: null };
  for (const field of ['content', 'reasoning_content', 'refusal', 'thinking', 'reasoning_text']) {
    if (!decide(fc.boolean)) continue;
    const text = decide(() => words);
    message[field] = text;
    fields.push(cut(decide, text).map((piece) => ({ [field]: piece })));
  }
  if (decide(fc.boolean)) {
    const texts = decide(fc.array, words, { minLength: 1, maxLength: 3 });
    const item = (index: number, text: string) => ({
      type: 'reasoning.text',
      text,
      format: 'f',
      index,
    });
    message.reasoning_details = texts.map((text, index) => item(index, text));
    // The first fragments determine the order of the items.
    first.reasoning_details = texts.map((_, index) => item(index, ''));
    for (const [index, text] of texts.entries()) {
      fields.push(cut(decide, text).map((piece) => ({ reasoning_details: [item(index, piece)] })));
    }
  }
  if (decide(fc.boolean)) {
    const blocks = decide(fc.array, words, { minLength: 1, maxLength: 3 });
    const block = (thinking: string) => ({ type: 'thinking', thinking });
    message.thinking_blocks = blocks.map((text) => ({ ...block(text), signature: 's' }));
    fields.push(
      blocks.flatMap((text) => [
        ...cut(decide, text).map((piece) => ({ thinking_blocks: [block(piece)] })),
        { thinking_blocks: [{ ...block(''), signature: 's' }] },
      ]),
    );
  }
  if (decide(fc.boolean)) {
    const urls = decide(fc.uniqueArray, words, { minLength: 1, maxLength: 4 });
    const annotations = urls.map((url) => ({ type: 'url_citation', url_citation: { url } }));
    message.annotations = annotations;
    const size = decide(fc.integer, { min: 1, max: 4 });
    const starts = [...annotations.keys()].filter((index) => index % size === 0);
    fields.push(starts.map((start) => ({ annotations: annotations.slice(start, start + size) })));
  }
  const count = decide(fc.nat, { max: 3 });
  if (count > 0) {
    const calls = Array.from({ length: count }, (_, index) => ({
      id: `id_${index}`,
      type: 'function',
      function: { name: decide(() => name), arguments: JSON.stringify(decide(() => args)) },
    }));
    message.tool_calls = calls;
    fields.push(calls.flatMap((call, index) => callDeltas(decide, call, index)));
  }
  if (decide(fc.boolean)) {
    const text = JSON.stringify(decide(() => args));
    message.function_call = { name: 'find', arguments: text };
    const [begin = '', ...rest] = cut(decide, text);
    fields.push([
      { function_call: { name: 'find', arguments: begin } },
      ...rest.map((piece) => ({ function_call: { arguments: piece } })),
    ]);
  }
  return { message, first, fields };
}

/** One call in one of the dialects. */
function callDeltas(
  decide: Decide,
  {
    id,
    type,
    function: { name: called, arguments: text },
  }: { id: string; type: string; function: { name: string; arguments: string } },
  index: number,
): Deltas {
  const [first = '', ...rest] = cut(decide, text);
  const delta = (fields: object, own: object) => ({
    tool_calls: [{ index, ...fields, function: own }],
  });
  const begin = { id, type };
  switch (decide(fc.nat, { max: 4 })) {
    case 0:
      return [delta(begin, { name: called, arguments: JSON.parse(text) })];
    case 1:
      return [delta(begin, { name: called, arguments: '{}' }), delta({}, { arguments: text })];
    case 2:
      return [
        delta(begin, { name: called, arguments: first }),
        ...rest.map((piece) => delta({}, { arguments: piece })),
        delta(begin, { name: called, arguments: text }),
      ];
    case 3:
      return [
        { tool_calls: [{ id, function: { name: called, arguments: first } }] },
        ...rest.map((piece) => ({ tool_calls: [{ function: { arguments: piece } }] })),
      ];
    default:
      return [
        delta(begin, { name: called, arguments: '' }),
        ...[first, ...rest].map((piece) => delta({}, { arguments: piece })),
      ];
  }
}

/** A random message, and the events of a stream that splits it at random. */
export function randomSplit(decide: Decide): { message: object; events: string[] } {
  const { message, first, fields } = randomMessage(decide);
  const deltas = [first];
  for (;;) {
    const open = fields.filter(({ length }) => length > 0);
    if (open.length === 0) break;
    const delta = open[decide(fc.nat, { max: open.length - 1 })]?.shift() ?? {};
    const last = deltas.at(-1);
    // Some chunks extend several fields.
    const isFree = last && !Object.keys(delta).some((key) => key in last);
    if (isFree && decide(fc.boolean)) Object.assign(last, delta);
    else deltas.push(delta);
  }
  const events = deltas.map((delta) => deltaEvent(delta));
  return { message, events };
}
