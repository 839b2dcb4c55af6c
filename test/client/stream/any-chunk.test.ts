import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { StreamError } from '../../../src/index.ts';
import { doneEvent, event, streamOf } from '../../support/event-stream.ts';

const field = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constant({ toString: 5, __proto__: { valueOf: 5 } }) },
);
const optional = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] });
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 5 }) }),
  optional({
    type: fc.constantFrom('text', 'image_url', 'thinking'),
    text: field,
    image_url: field,
  }),
  field,
);
const index = fc.oneof(fc.integer({ min: -1, max: 2 }), field);
const toolCall = fc.oneof(
  optional({ index, id: field, function: optional({ name: field, arguments: field }) }),
  field,
);
const texts = fc.oneof(fc.string({ maxLength: 5 }), fc.array(part, { maxLength: 3 }), field);
const delta = optional({
  role: field,
  content: texts,
  refusal: texts,
  reasoning: texts,
  tool_calls: fc.oneof(fc.array(toolCall, { maxLength: 3 }), field),
  images: fc.oneof(fc.array(field, { maxLength: 2 }), field),
  audio: fc.oneof(optional({ id: field, data: field, transcript: field }), field),
});
const choice = optional({ index, delta, finish_reason: field, logprobs: field });
const chunk = optional({ id: field, choices: fc.array(choice, { maxLength: 2 }), usage: field });

/** All text in the content of a message or delta, as a caller would read it. */
function allText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((each) => (typeof each === 'string' ? each : textOfPart(each))).join('');
}

const textOfPart = (each: any) => (each?.type === 'text' && allText(each.text)) || '';

test('whatever valid chunks arrive, accumulating them neither throws nor loses text', async () => {
  let complete = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { minLength: 1, maxLength: 5 }), async (chunks) => {
      const stream = streamOf([...chunks.map((each) => event(each)), doneEvent]);
      const contents = new Map<number, string>();
      let argumentTexts = '';
      try {
        for await (const { choices } of stream) {
          for (const { index: position, delta: added } of choices) {
            contents.set(position, (contents.get(position) ?? '') + allText(added.content));
            for (const call of added.tool_calls ?? []) {
              const text = call.function?.arguments;
              if (typeof text === 'string') argumentTexts += text;
            }
          }
          expect(stream.partial).toBeDefined();
        }
      } catch (error) {
        // Rejected by the check of chunks, as a service's error would be. Any other error is a defect.
        expect(error).toBeInstanceOf(StreamError);
        return;
      }
      complete += 1;
      const { choices } = await stream.final();
      for (const { index: position, message } of choices) {
        expect(allText(message.content)).toBe(contents.get(position));
      }
      const kept = choices.flatMap(({ message }) => message.tool_calls ?? []);
      const length = kept.reduce((sum, call) => sum + call.function.arguments.length, 0);
      expect(length).toBeGreaterThanOrEqual(argumentTexts.length);
    }),
    { numRuns: 500 },
  );
  // The cases are useful only if enough of them are valid.
  expect(complete).toBeGreaterThan(50);
});
