import * as fc from 'fast-check';

import type { Endpoint } from '../../src/mock/http/endpoint.ts';
import { endpoints } from '../../src/mock/routes/index.ts';
import { chat, image, music, speech, video } from '../mock/caller.ts';

/** A request that is valid, invalid or hostile. */
export interface FuzzRequest {
  /** Method and path, such as `POST /v1/videos`; the key of {@link byRoute}. */
  route: string;
  method: string;
  /** The value of each `{name}` in the path: an index into the known ids, or the text itself. */
  ids: readonly (number | string)[];
  query: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

export const byRoute = new Map(endpoints.map((endpoint) => [endpoint.route, endpoint]));

const person = { consent_confirmed: true, callback_url: 'https://app.example/back' };
const clone = { audio_url: 'https://files.example/me.wav', text: 'Hello' };
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const responseFormat = { type: 'json_schema', json_schema: { name: 'x', schema } };
const items = [
  { type: 'text', text: 'a wave' },
  { type: 'image_url', image_url: { url: 'https://files.example/a.png' }, role: 'first_frame' },
];

/** Valid bodies by path, from which the others are mutated. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  '/v1/chat/completions': [
    chat,
    { ...chat, stream: true, stream_options: { include_usage: true }, n: 2, stop: ['there'] },
    { ...chat, tools: [{ type: 'function', function: { name: 'hello', parameters: schema } }] },
    { ...chat, response_format: responseFormat, max_tokens: 9 },
    { ...chat, extra_body: { image_config: { aspect_ratio: '1:1' } } },
  ],
  '/v1/audio/tasks': [
    music,
    { ...speech, speed: 1.5, sample_rate: 44_100, format: 'mp3', emotion: 'happy' },
    { ...speech, voice_id: undefined, timber_weights: [{ voice_id: 'calm-narrator', weight: 1 }] },
  ],
  '/v1/audio/voices/clone': [{ ...clone, display_name: 'Me', accuracy: 0.5 }],
  '/v1/audio/voices/design': [{ prompt: 'warm', preview_text: 'Hello', name: 'You' }],
  '/v1/materials': [
    { url: 'https://files.example/a.png', type: 'image', name: 'Fox' },
    { url: 'https://files.example/a.png', type: 'image', real_person: person },
  ],
};
const images = [
  { ...image, n: 2, size: '1024x768' },
  { ...image, resolution: '2k', num_images: 3 },
];
const videos = [
  { ...video, duration: 4, resolution: '720p', extra_body: { seed: 1, input_video_seconds: 3 } },
  { model: video.model, content: items },
];

const validBodies = ({ path }: Endpoint): readonly object[] =>
  bodies[path] ?? (path.includes('/video') ? videos : images);

const brackets = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1, 1.5, '', 'x') },
  fc.constantFrom<unknown>(1e308, -1e308, 2 ** 53, 5e-324, -0, [], {}, [null], [[]], [{}]),
  fc.constantFrom('asset://x', 'https://a/b', 'data:,x', '\u0000', '\uD800', '<#1#>', '🦊', '8p'),
  fc.constantFrom({ url: 5 }, { type: 'text' }, { function: {} }, { $ref: '#' }, { toString: 1 }),
  fc.constantFrom(
    JSON.parse('{"__proto__":{"model":1},"constructor":null}'),
    JSON.parse(brackets(150)),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...endpoints.flatMap(validBodies)),
);

const names = [...new Set(endpoints.flatMap(validBodies).flatMap((body) => Object.keys(body)))];
const extraNames = ['max_completion_tokens', 'reasoning_effort', 'tool_choice', 'modalities'];
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names, ...extraNames) },
  fc.constantFrom('__proto__', 'constructor', 'toString', 'then', '', 'input', 'voice', 'images'),
  fc.string(),
);

/** Sets or drops a field of a body, at the top level or inside a field. */
const mutation = fc.record({ name, value, inside: fc.boolean(), drop: fc.boolean() });

function mutate(
  body: object,
  change: { name: string; value: unknown; inside: boolean; drop: boolean },
) {
  const fields = Object.entries(body);
  const nest = fields.find(([, field]) => typeof field === 'object' && field !== null);
  if (change.inside && nest !== undefined) {
    const [key, field] = nest;
    const inner: unknown = Array.isArray(field)
      ? [...field, change.value]
      : { ...field, [change.name]: change.value };
    return Object.fromEntries([...fields, [key, inner]]);
  }
  const kept = fields.filter(([key]) => key !== change.name);
  return Object.fromEntries(change.drop ? kept : [...kept, [change.name, change.value]]);
}

const mutated = (endpoint: Endpoint): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...validBodies(endpoint)), fc.array(mutation, { maxLength: 3 }))
    .map(([body, changes]) => JSON.stringify(changes.reduce(mutate, body)));

const raw = (endpoint: Endpoint): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Uint8Array.from(bytes)),
    fc.string({ unit: 'binary' }),
    fc.tuple(mutated(endpoint), fc.nat()).map(([text, at]) => text.slice(0, at % text.length)),
    mutated(endpoint).map((text) => text.replace(/\d+/, '1e400')),
    mutated(endpoint).map((text) => text.replace(/\}$/, `,"deep":${brackets(20_000)}}`)),
    fc.tuple(mutated(endpoint), fc.nat()).map(([text, at]) => {
      const bytes = new TextEncoder().encode(text);
      bytes[at % bytes.length] = 0xff;
      return bytes;
    }),
    fc.constantFrom('{"a":'.repeat(5000), brackets(5000), ' '.repeat(70_000)),
  );

const body = (endpoint: Endpoint): fc.Arbitrary<FuzzRequest['body']> =>
  fc.oneof(
    { weight: 8, arbitrary: mutated(endpoint) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 2, arbitrary: raw(endpoint) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const id = fc.oneof(
  { weight: 4, arbitrary: fc.nat() },
  fc.constantFrom(
    '%',
    '%ZZ',
    '%FF',
    'a%2Fb',
    '%2e%2e',
    '__proto__',
    ':taskId',
    '*',
    'x'.repeat(999),
  ),
);

const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?limit=1',
    '?limit=0',
    '?limit=1e2',
    '?limit=2&limit=2',
    '?after=%FF',
    '?after=x',
  ),
  fc.constantFrom('?type=image', '?type=chat', '?type=__proto__', '?status=creating', '?status=x'),
  fc.constantFrom(
    '?model=echo-speech',
    '?model=%00',
    '?locale=ja-JP',
    '?locale=&locale=',
    '?key=sk-a',
  ),
  fc.constantFrom('?outcome=failed', '?expires=x', '?expires=1', '?=&&%'),
  fc.webQueryParameters().map((text) => `?${text}`),
);

const keys = fc.constantFrom('Bearer sk-a', 'Bearer sk-b');
const headers = fc.record(
  {
    authorization: fc.oneof(
      { weight: 12, arbitrary: keys },
      fc.constantFrom('Bearer sk-off', 'Bearer sk-none', 'Bearer', 'Basic x', ''),
    ),
    'content-type': fc.oneof(
      { weight: 12, arbitrary: fc.constant('application/json') },
      fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'multipart/form-data', 'x'),
    ),
    'x-idempotency-key': fc.constantFrom('one', 'two', 'three', 'with space', 'x'.repeat(201)),
    'idempotency-key': fc.stringMatching(/^[a-z0-9]{1,3}$/),
    'x-request-id': fc.constantFrom('mine', 'with space', 'x'.repeat(300)),
    'x-api-key': fc.constantFrom('sk-a', 'sk-none'),
    'anthropic-version': fc.constant('2023-06-01'),
    'x-goog-api-key': fc.constantFrom('sk-b', 'sk-off'),
  },
  { requiredKeys: ['authorization', 'content-type', 'idempotency-key'] },
);

/** Requests to all routes of the gateway. POST routes are more frequent. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .constantFrom(
    ...endpoints.flatMap((entry) => (entry.method === 'POST' ? [entry, entry, entry] : [entry])),
  )
  .chain((endpoint) =>
    fc.record({
      route: fc.constant(endpoint.route),
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant<string>(endpoint.method) },
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      ),
      ids: fc.array(id, { minLength: 2, maxLength: 2 }),
      query,
      headers,
      body: body(endpoint),
    }),
  );
