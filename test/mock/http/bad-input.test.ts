import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, image, music, speech, video } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual', maxBodyBytes: 100_000, wallet: { usd: 1e6 } });
const caller = callerOf(mock);
const design = { prompt: 'warm', preview_text: 'Hello' };
const clone = { audio_url: 'https://files.example/me.wav', text: 'Hello' };
const material = { url: 'https://files.example/a.png', type: 'image' };
const person = { consent_confirmed: true, callback_url: 'https://app.example/back' };

const invalid = 'invalid_request_parameter';

test.each([
  ['/v1/chat/completions', {}, invalid, '`model` is required'],
  ['/v1/chat/completions', { model: 'aurora-chat' }, invalid, '`messages` is required'],
  ['/v1/chat/completions', { ...chat, messages: [] }, invalid, '`messages` must not be empty'],
  ['/v1/chat/completions', { ...chat, messages: [5] }, invalid, '`messages[0]`'],
  ['/v1/chat/completions', { ...chat, messages: [{}] }, invalid, '`messages[0].role` is required'],
  [
    '/v1/chat/completions',
    { ...chat, messages: [{ role: 'user', content: 5 }] },
    invalid,
    '`messages[0].content`',
  ],
  ['/v1/chat/completions', { ...chat, stream: 'yes' }, invalid, '`stream` must be true or false'],
  ['/v1/chat/completions', { ...chat, n: 0 }, invalid, '`n` must be an integer'],
  ['/v1/chat/completions', { ...chat, n: -3 }, invalid, '`n`'],
  ['/v1/chat/completions', { ...chat, n: 1e9 }, invalid, '`n`'],
  ['/v1/chat/completions', { ...chat, max_tokens: -1 }, invalid, '`max_tokens`'],
  ['/v1/chat/completions', { ...chat, tools: [{}] }, invalid, '`tools[0].function` is required'],
  ['/v1/chat/completions', { ...chat, extra_body: [] }, invalid, '`extra_body` must be an object'],
  ['/v1/chat/completions', { ...chat, model: 'nope' }, 'model_not_found', '`model`'],
  ['/v1/chat/completions', { ...chat, model: 'tide-video' }, invalid, '`model`'],
  ['/v1/images/tasks', { prompt: 'x' }, invalid, '`model` is required'],
  ['/v1/images/tasks', { model: 'prism-image' }, invalid, '`prompt` is required'],
  ['/v1/images/tasks', { ...image, prompt: null }, invalid, '`prompt` must be a string'],
  ['/v1/images/tasks', { ...image, n: 1.5 }, invalid, '`n` must be an integer'],
  ['/v1/images/tasks', { ...image, n: -1 }, invalid, '`n`'],
  ['/v1/images/tasks', { ...image, num_images: 1e12 }, invalid, '`num_images`'],
  ['/v1/images/tasks', { ...image, size: 'big' }, invalid, '`size`'],
  ['/v1/images/tasks', { ...image, size: '99999x1' }, invalid, '`size`'],
  ['/v1/images/tasks', { ...image, resolution: '9K' }, invalid, '`resolution`'],
  ['/v1/images/tasks', { ...image, image: 'file:///etc/passwd' }, invalid, '`image`'],
  ['/v1/images/tasks', { ...image, reference_image_urls: ['x'] }, invalid, 'image_urls[0]`'],
  ['/v1/images/tasks', { ...image, task_type: 'image2image' }, invalid, '`image`'],
  ['/v1/images/tasks', { ...image, model: 'aurora-chat' }, invalid, '`model`'],
  ['/v1/videos', { model: 'tide-video' }, invalid, '`prompt` is required'],
  ['/v1/videos', { ...video, duration: '5' }, invalid, '`duration` must be a'],
  ['/v1/videos', { ...video, duration: -5 }, invalid, '`duration`'],
  ['/v1/videos', { ...video, duration: 1e300 }, invalid, '`duration`'],
  ['/v1/videos', { ...video, resolution: '8p' }, invalid, '`resolution`'],
  ['/v1/videos', { ...video, extra_body: { input_video_seconds: -1 } }, invalid, 'video_seconds`'],
  ['/v1/videos', { ...video, extra_body: { seed: 'x' } }, invalid, '`extra_body.seed`'],
  ['/v1/videos', { ...video, content: [{}] }, invalid, '`content[0].type` is required'],
  ['/v1/videos', { ...video, content: [{ type: 'image_url' }] }, invalid, 'image_url.url` is req'],
  ['/v1/videos', { ...video, prompt: 'like asset://x' }, invalid, '`prompt` must not contain'],
  ['/v1/audio/tasks', { model: 'anthem-music' }, invalid, '`prompt` is required'],
  ['/v1/audio/tasks', { ...music, lyrics: 1 }, invalid, '`lyrics` must be a string'],
  ['/v1/audio/tasks', { ...speech, text: '' }, invalid, '`text` or `input` is required'],
  ['/v1/audio/tasks', { ...speech, voice_id: undefined }, invalid, '`voice_id` is required'],
  ['/v1/audio/tasks', { ...speech, voice_id: 'unknown-voice' }, invalid, '`voice_id`'],
  ['/v1/audio/tasks', { ...speech, speed: 0.4 }, invalid, '`speed` must be a number from 0.5 to 2'],
  ['/v1/audio/tasks', { ...speech, speed: 'fast' }, invalid, '`speed` must be a number'],
  ['/v1/audio/tasks', { ...speech, sample_rate: 8000 }, invalid, '`sample_rate` must be 32000 or'],
  ['/v1/audio/tasks', { ...speech, format: 'doc' }, invalid, '`format`'],
  ['/v1/audio/voices/clone', {}, invalid, '`audio_url` is required'],
  ['/v1/audio/voices/clone', { ...clone, audio_url: 'x' }, invalid, '`audio_url`'],
  ['/v1/audio/voices/design', { prompt: 'warm' }, invalid, '`preview_text` is required'],
  ['/v1/audio/voices/design', { preview_text: 'x' }, invalid, '`prompt` is required'],
])('POST %s with %j returns 400 %s: %s', async (path, body, code, message) => {
  const response = await caller.post(path, body);
  expect(response.status).toBe(400);
  const { error } = await response.json();
  expect(error).toMatchObject({ code, type: 'invalid_request_error' });
  expect(error.message).toContain(message);
});

test.each([
  [{}, 'invalid_material_request', '`url` is required'],
  [{ ...material, url: 'ftp://x/y' }, 'invalid_material_request', '`url`'],
  [{ ...material, url: 'http://127.0.0.1/a.png' }, 'invalid_material_request', '`url`'],
  [{ ...material, url: 'http://[::1]/a.png' }, 'invalid_material_request', '`url`'],
  [{ ...material, url: 'http://10.1.2.3/a.png' }, 'invalid_material_request', '`url`'],
  [{ ...material, type: 'text' }, 'invalid_material_request', '`type` must be "image" or'],
  [{ ...material, name: 5 }, 'invalid_material_request', '`name` must be a string'],
  [{ ...material, real_person: true }, 'invalid_material_request', '`real_person`'],
  [{ ...material, real_person: {} }, 'visual_verification_consent_required', 'consent_confirmed`'],
  [
    { ...material, real_person: { ...person, consent_confirmed: 'true' } },
    'visual_verification_consent_required',
    'consent_confirmed`',
  ],
  [
    { ...material, real_person: { consent_confirmed: true } },
    'invalid_visual_verification_request',
    'callback_url`',
  ],
  [
    { ...material, type: 'audio', real_person: person },
    'invalid_visual_verification_request',
    '`real_person`',
  ],
])('POST /v1/materials with %j returns 400 %s: %s', async (body, code, message) => {
  const response = await caller.post('/v1/materials', body, { 'idempotency-key': 'k' });
  expect(response.status).toBe(400);
  const { error } = await response.json();
  expect(error.code).toBe(code);
  expect(error.message).toContain(message);
});

const posts = [
  ['/v1/chat/completions', chat],
  ['/v1/images/tasks', image],
  ['/v1/images/generations', image],
  ['/v1/videos', video],
  ['/v1/video/generations', video],
  ['/v1/videos/generations', video],
  ['/v1/audio/tasks', speech],
  ['/v1/audio/tasks', music],
  ['/v1/audio/voices/clone', clone],
  ['/v1/audio/voices/design', design],
  ['/v1/materials', material],
] as const;

test.each(posts)('POST %s rejects a body that is not a JSON object', async (path) => {
  const send = (body: string, type: string) =>
    mock.fetch(mock.baseURL + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mock.apiKey}`,
        'idempotency-key': 'k',
        'content-type': type,
      },
      body,
    });
  for (const body of ['', '{', '[]', '5', 'null', '"x"', 'true', '{"a":1,}']) {
    expect((await send(body, 'application/json')).status).toBe(400);
  }
  expect((await send('{}', 'text/plain')).status).toBe(400);
  expect((await send('{}', 'multipart/form-data; boundary=x')).status).toBe(400);
  const long = await send(JSON.stringify({ prompt: 'x'.repeat(200_000) }), 'application/json');
  expect(long.status).toBe(413);
});

const fields = [
  'model prompt messages stream stream_options n size reference_image_urls task_type image',
  'aspect_ratio resolution output_format num_images duration last_image images video content',
  'extra_body lyrics lyrics_optimizer is_instrumental audio_setting text input voice_id voice',
  'speed volume pitch emotion language response_format format sample_rate pronunciation_dict',
  'timber_weights subtitle_enable metadata audio_url preview_text display_name name description',
  'noise_reduction need_volume_normalization accuracy url type real_person max_tokens tools',
  'tool_choice stop modalities reasoning_effort parallel_tool_calls max_completion_tokens thinking',
].flatMap((line) => line.split(' '));

const values: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  '',
  'x',
  'asset://x',
  '\u0000\uD800',
  [],
  {},
  [null],
  [[]],
  [{}],
  ['x'],
  { type: null },
  { function: {} },
  { url: {} },
  { toString: 1 },
  JSON.parse('{"__proto__":{"model":1},"constructor":null}'),
];

test.each(posts)('POST %s never returns a 500, with any JSON in any field', async (path, body) => {
  const before = mock.wallet.usd;
  let number = 0;
  for (const field of fields) {
    for (const value of values) {
      number += 1;
      const headers = { 'idempotency-key': `any-${path}-${number}` };
      const response = await caller.post(path, { ...body, [field]: value }, headers);
      const text = await response.text();
      if (response.status < 300) continue;
      expect({ field, value, status: response.status }).toMatchObject({ status: 400 });
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
    }
  }
  expect(mock.wallet.usd).toBeLessThanOrEqual(before);
  expect(mock.inFlight).toBe(0);
});

test('every charge in this file was a positive, finite number', () => {
  expect(mock.invoice.every((line) => line.usd > 0 && Number.isFinite(line.usd))).toBe(true);
});

test.each([
  ['GET', '/v1/chat/completions', 405],
  ['PUT', '/v1/videos', 405],
  ['DELETE', '/v1/account', 405],
  ['PATCH', '/v1/materials/x', 405],
  ['POST', '/v1/models', 405],
  ['GET', '/v1/nothing', 404],
  ['GET', '/v1/images/edits', 405],
  ['GET', '/v2/account', 404],
  ['GET', '/v1/videos/', 404],
  ['POST', '/v1/videos/', 404],
  ['GET', '//v1/videos', 404],
])('%s %s returns %i in the error envelope', async (method, path, status) => {
  const response = await mock.fetch(mock.baseURL + path, {
    method,
    headers: { authorization: `Bearer ${mock.apiKey}` },
  });
  expect(response.status).toBe(status);
  expect((await response.json()).error.type).toMatch(/_error$/);
  if (status === 405) expect(response.headers.get('allow')).toMatch(/GET|POST|DELETE/);
});
