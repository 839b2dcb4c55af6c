import * as schemas from 'polygate/schemas';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const url = 'https://files.example/a.png';
const person = { consent_confirmed: true, callback_url: 'https://app.example/verified' };
const messages = [{ role: 'user', content: 'Hi' }];
const textPart = { type: 'text', text: 'Hi' };

const params = Object.entries(schemas).filter(([name]) => name.endsWith('Params'));

/** The issues of a body, with the paths of their fields. */
function issuesOf(schema: z.core.$ZodType, body: unknown): [path: string, message: string][] {
  const { error } = z.safeParse(schema, body);
  return (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]);
}

describe('request schemas', () => {
  test.each([
    ['an image of text', schemas.imageParams, { model: 'm', prompt: 'p', n: 2, task_type: 'new' }],
    ['an image of an image', schemas.imageParams, { model: 'm', image: url }],
    ['an image of references', schemas.imageParams, { model: 'm', reference_image_urls: [url] }],
    ['a video of text', schemas.videoParams, { model: 'm', prompt: 'p', duration: 5 }],
    [
      'a video of content',
      schemas.videoParams,
      {
        model: 'm',
        content: [
          { type: 'text', text: 'p' },
          { type: 'image_url', image_url: { url: 'asset://a' }, role: 'reference_image' },
        ],
        extra_body: { seed: 1, camera: 'left' },
      },
    ],
    ['music', schemas.musicParams, { model: 'm', prompt: 'p', audio_setting: { bitrate: 1 } }],
    ['speech of a text', schemas.speechParams, { model: 'm', text: 'Hi', speed: 1.2 }],
    ['speech of an input', schemas.speechParams, { model: 'm', input: 'Hi', voice: 'v' }],
    ['a voice clone', schemas.voiceCloneParams, { audio_url: url, accuracy: 'high' }],
    ['a voice design', schemas.voiceDesignParams, { prompt: 'p', preview_text: 'Hi' }],
    ['a voice design with a text', schemas.voiceDesignParams, { prompt: 'p', text: 'Hi' }],
    ['a material', schemas.materialParams, { url, type: 'video', real_person: person }],
    [
      'a chat',
      schemas.chatParams,
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
          { role: 'assistant', content: null, provider_field: 1 },
          { role: 'tool', content: '1', tool_call_id: 'c' },
        ],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        response_format: { type: 'json_object' },
        temperature: null,
        reasoning_effort: 'some',
      },
    ],
  ])('accept %s unchanged', (_, schema, body) => {
    expect(z.parse(schema, body)).toEqual(body);
  });

  test.each([
    ['imageParams', { model: 'm', promt: 'p', image: url }, '', 'promt', 'prompt'],
    ['imageParams', { model: 'm', image: url, numImages: 2 }, '', 'numImages', 'num_images'],
    ['videoParams', { model: 'm', prompt: 'p', durations: 2 }, '', 'durations', 'duration'],
    [
      'videoParams',
      { model: 'm', content: [{ type: 'text', text: 'p', rol: 'x' }] },
      'content.0',
      'rol',
      undefined,
    ],
    ['speechParams', { model: 'm', text: 'Hi', voiceId: 'v' }, '', 'voiceId', 'voice_id'],
    ['chatParams', { model: 'm', messages, temprature: 1 }, '', 'temprature', 'temperature'],
    [
      'chatParams',
      { model: 'm', messages: [{ role: 'user', content: 'Hi', nam: 'Ann' }] },
      'messages.0',
      'nam',
      'name',
    ],
    [
      'materialParams',
      { url, type: 'image', real_person: { ...person, callback: 1 } },
      'real_person',
      'callback',
      'callback_url',
    ],
  ] as const)('%s names the field that is nearest to an unknown one in %j', (...row) => {
    const [name, body, path, unknown, nearest] = row;
    const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    expect(issuesOf({ ...schemas }[name], body)).toEqual([
      [path, `${unknown}: unknown field.${suggestion}`],
    ]);
  });

  test.each([
    [
      { messages: [{ role: 'user', content: [{ type: 'text', txt: 'Hi' }] }] },
      'messages.0.content',
      '[0]: txt: unknown field. Did you mean text?',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { urls: url } }] }] },
      'messages.0.content',
      '[0].image_url: urls: unknown field. Did you mean url?',
    ],
    [
      { messages: [{ role: 'system', content: [textPart, { type: 'txt' }] }] },
      'messages.0.content',
      '[1].type: Invalid input',
    ],
    [
      { messages, tool_choice: { type: 'function', function: { nam: 'f' } } },
      'tool_choice',
      'function: nam: unknown field. Did you mean name?',
    ],
    [{ messages, stop: ['a', 1] }, 'stop', '[1]: Invalid input'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content', 'Invalid input'],
  ])('say what is wrong inside of a field of a chat that could be a text: %j', (...row) => {
    const [body, path, message] = row;
    const [issue] = issuesOf(schemas.chatParams, { model: 'm', ...body });
    expect(issue).toEqual([path, expect.stringContaining(message)]);
  });

  test.each([
    ['imageParams', { model: 'm' }, 'prompt'],
    ['imageParams', { prompt: 'p' }, 'model'],
    ['imageParams', { model: '', prompt: 'p' }, 'model'],
    ['imageParams', { model: 'm', prompt: 'p', n: 0 }, 'n'],
    ['videoParams', { model: 'm', image: url }, 'prompt'],
    ['videoParams', { model: 'm', prompt: 'asset://a' }, 'prompt'],
    ['musicParams', { model: 'm', prompt: '' }, 'prompt'],
    ['speechParams', { model: 'm' }, 'text'],
    ['speechParams', { model: 'm', text: 'Hi', speed: 3 }, 'speed'],
    ['speechParams', { model: 'm', text: 'Hi', sample_rate: 8000 }, 'sample_rate'],
    ['voiceCloneParams', { audio_url: '' }, 'audio_url'],
    ['voiceDesignParams', { prompt: 'p' }, 'preview_text'],
    ['materialParams', { url: 'file:///a', type: 'image' }, 'url'],
    ['materialParams', { url, type: 'audio', real_person: person }, 'real_person'],
    ['chatParams', { model: 'm', messages: [{ role: 'usr', content: '' }] }, 'messages.0.role'],
  ] as const)('%s rejects %j because of `%s`', (name, body, field) => {
    expect(issuesOf({ ...schemas }[name], body)[0]?.[0]).toBe(field);
  });

  test.each(params)(
    '%s makes a schema for tools: one object with a text per field',
    (_, schema) => {
      const json = z.toJSONSchema(schema);
      expect(json.type).toBe('object');
      expect(json.additionalProperties).toBe(false);
      expect(json.required?.length).toBeGreaterThan(0);
      const texts = Object.values(json.properties ?? {}).map((field) =>
        typeof field === 'object' ? field.description : undefined,
      );
      expect(texts.length).toBeGreaterThan(1);
      expect(texts.filter((entry) => !entry?.endsWith('.'))).toEqual([]);
    },
  );

  test('offer the known values of a field that accepts others', () => {
    const { properties = {} } = z.toJSONSchema(schemas.speechParams);
    expect(properties.language).toMatchObject({
      type: 'string',
      examples: ['Chinese', 'English', 'Japanese', 'auto'],
    });
    expect(properties.speed).toMatchObject({ type: 'number', minimum: 0.5, maximum: 2 });
  });
});
