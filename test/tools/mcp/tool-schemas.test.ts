import { expect, test } from 'vitest';

import {
  parseEstimate,
  parseEstimated,
  parseGeneration,
  portableSchema,
} from '../../../src/tools/mcp/tool-schemas.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };

test('equal arguments are equal texts, in whatever order they arrive', () => {
  const video = {
    model: 'tide-video',
    prompt: 'A harbor',
    extra_body: { seed: 1, style: { hue: 2, tone: 3 } },
  };
  const reversed = {
    extra_body: { style: { tone: 3, hue: 2 }, seed: 1 },
    prompt: 'A harbor',
    model: 'tide-video',
  };
  const [one, other] = [video, reversed].map((args) =>
    JSON.stringify(parseGeneration('video', args)),
  );
  expect(one).toBe(other);
});

test('a label is not part of the request, and is the same as text and as a number', () => {
  expect(parseGeneration('image', { ...harbor, again: 2 })).toEqual({
    model: 'prism-image',
    body: harbor,
    again: '2',
  });
  expect(parseGeneration('image', { ...harbor, again: '2' }).again).toBe('2');
  expect(parseGeneration('image', harbor).again).toBeUndefined();
});

test.each([
  [{ ...harbor, promt: 'x' }, 'Did you mean prompt?'],
  [{ model: 'prism-image' }, 'prompt: is required'],
  [{ ...harbor, n: 'two' }, 'n: '],
  [{ ...harbor, again: '' }, 'again: '],
  [{ ...harbor, again: {} }, 'again: '],
  [undefined, 'model: '],
  ['text', 'Invalid arguments.'],
])('the arguments %j are rejected', (args, problem) => {
  expect(() => parseGeneration('image', args)).toThrow(problem);
});

test.each(['callback_url', 'webhook', 'notifyWebhookUrl', 'route'])(
  'a free field named %s is rejected',
  (name) => {
    const args = {
      model: 'tide-video',
      prompt: 'A harbor',
      extra_body: { [name]: 'https://host.example' },
    };
    expect(() => parseGeneration('video', args)).toThrow(name);
  },
);

test.each(['model', 'n', 'Num-Images', 'resolution', 'duration', 'prompt', 'model\0x'])(
  'the field %j must not be hidden in extra_body, which some services merge with the other fields',
  (name) => {
    const video = { model: 'tide-video', prompt: 'A harbor', duration: 5 };
    expect(() => parseGeneration('video', { ...video, extra_body: { [name]: 8 } })).toThrow(
      `extra_body.${name}`,
    );
    const speech = { model: 'echo-speech', text: 'A harbor', extra_body: { [name]: 8 } };
    expect(() => parseGeneration('speech', speech)).toThrow(`extra_body.${name}`);
  },
);

test('documented and free fields of extra_body are passed on', () => {
  const extra = { seed: 1, input_video_seconds: 4, negative_prompt: 'fog', style: { model: 'x' } };
  const args = { model: 'tide-video', prompt: 'A harbor', extra_body: extra };
  expect(parseGeneration('video', args).body.extra_body).toEqual(extra);
});

test('an estimate needs only the fields that the price depends on', () => {
  expect(parseEstimated({ kind: 'image', model: 'prism-image', n: 2 })).toMatchObject({
    kind: 'image',
    model: 'prism-image',
  });
  expect(parseEstimate('image', { kind: 'image', model: 'prism-image', n: 2, again: 3 })).toEqual({
    model: 'prism-image',
    n: 2,
  });
  expect(() => parseEstimated({ kind: 'image' })).toThrow('model: ');
  expect(() => parseEstimated({ kind: 'poem', model: 'prism-image' })).toThrow('kind: ');
  expect(() => parseEstimate('image', { model: 'prism-image', n: 'two' })).toThrow('n: ');
});

test('alternatives become one object, whose descriptions name what the keywords cannot', () => {
  const content = {
    description: 'The items.',
    oneOf: [
      {
        type: 'object',
        properties: { type: { type: 'string', const: 'text' }, text: { type: 'string' } },
        required: ['type', 'text'],
      },
      {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'audio' },
          role: { type: 'string', description: 'Role.', examples: ['reference_audio'] },
          rate: { type: 'number', description: 'Rate.', enum: [32000, 44100] },
          count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        },
        required: ['type'],
        additionalProperties: {},
      },
    ],
  };
  expect(portableSchema(content)).toEqual({
    type: 'object',
    description: 'The items.',
    properties: {
      type: { type: 'string', enum: ['text', 'audio'] },
      text: { type: 'string' },
      role: { type: 'string', description: 'Role. Known values: reference_audio.' },
      rate: { type: 'number', description: 'Rate. 32000 or 44100.' },
      count: { type: 'integer', minimum: 1 },
    },
    required: ['type'],
  });
});
