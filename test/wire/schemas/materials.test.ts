import { describe, expect, test } from 'vitest';

import { materialCreateBody } from '../../../src/wire/schemas/bodies.ts';
import { isAvailable } from '../../../src/wire/types/media/material-status.ts';
import {
  materialCreateParamsProblem,
  materialListQueryProblem,
} from '../../../src/wire/types/media/materials.ts';
import type { Material } from '../../../src/wire/types/media/materials.ts';

const queryNotAnObject = 'query: must be an object';
const url = 'https://host.example/canary.png';
const person = { consent_confirmed: true, callback_url: 'https://host.example/back' };

describe('materialCreateParamsProblem', () => {
  test.each([
    ['an image', { url, type: 'image' }],
    ['a video over http', { url: 'http://host.example/a.mp4', type: 'video' }],
    ['a scheme in capitals', { url: 'HTTPS://host.example/a.mp3', type: 'audio' }],
    ['a name', { url, type: 'image', name: 'Ann' }],
    ['a real person in an image', { url, type: 'image', real_person: person }],
    ['a real person in a video', { url, type: 'video', real_person: person }],
    ['audio without a real person', { url, type: 'audio', real_person: undefined }],
  ])('accepts %s', (_, params) => {
    expect(materialCreateParamsProblem(params)).toBeUndefined();
  });

  test.each([
    ...[
      undefined,
      null,
      7,
      '',
      'host.example/a.png',
      '/a.png',
      'ftp://host.example/a.png',
      'data:image/png;base64,AAAA',
      'asset://a',
      'http:a.png',
      'https://',
      ' https://host.example/a.png',
      'javascript:alert(1)//https://host.example',
    ].map((invalid): [string, Record<string, unknown>, string] => [
      `the url ${String(invalid)}`,
      { url: invalid, type: 'image' },
      'url: must be an http or https URL',
    ]),
    ['no type', { url }, 'type: must be image, video or audio'],
    ['an unknown type', { url, type: 'text' }, 'type: must be image, video or audio'],
    ['a number as the name', { url, type: 'image', name: 7 }, 'name: must be a string'],
    [
      'a real person in audio',
      { url, type: 'audio', real_person: person },
      'real_person: is not supported for audio',
    ],
    [
      'true as a real person',
      { url, type: 'image', real_person: true },
      'real_person: must be an object',
    ],
    [
      'null as a real person',
      { url, type: 'image', real_person: null },
      'real_person: must be an object',
    ],
    ...[undefined, false, 'true', 1].map((consent): [string, Record<string, unknown>, string] => [
      `${JSON.stringify(consent)} as consent`,
      { url, type: 'image', real_person: { ...person, consent_confirmed: consent } },
      'real_person.consent_confirmed: must be true',
    ]),
    ...[undefined, '', 'myapp://back', '/back'].map(
      (back): [string, Record<string, unknown>, string] => [
        `${JSON.stringify(back)} as callback`,
        { url, type: 'video', real_person: { ...person, callback_url: back } },
        'real_person.callback_url: must be an http or https URL',
      ],
    ),
  ])('rejects %s', (_, params, problem) => {
    expect(materialCreateParamsProblem(params)?.join(': ')).toBe(problem);
  });

  test('never quotes a URL', () => {
    const problem = materialCreateParamsProblem({ url: 'ftp://canary.example', type: 'image' });
    expect(problem?.join(': ')).not.toContain('canary');
  });

  test('takes linear time on hostile input', () => {
    const before = process.cpuUsage();
    materialCreateParamsProblem({
      url: `https://host.example/${'/..'.repeat(100_000)}`,
      type: 'image',
    });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});

describe('materialListQueryProblem', () => {
  const limit = 'limit: must be an integer from 1 to 100';
  test.each([
    [{}, undefined],
    [{ limit: undefined }, undefined],
    [{ limit: 1 }, undefined],
    [{ limit: 100 }, undefined],
    [{ type: 'image', status: 'available', after: 'c_1' }, undefined],
    [{ limit: 0 }, limit],
    [{ limit: 101 }, limit],
    [{ limit: -1 }, limit],
    [{ limit: 1.5 }, limit],
    [{ limit: Number.NaN }, limit],
    [{ limit: '50' }, limit],
    [{ limit: null }, limit],
    [null, queryNotAnObject],
    [50, queryNotAnObject],
  ])('for %j returns %s', (query, problem) => {
    expect(materialListQueryProblem(query)?.join(': ')).toBe(problem);
  });
});

describe('materialCreateBody', () => {
  test.each([
    ['an unknown type', { url, type: 'text' }],
    [
      'consent as a string',
      { url, type: 'image', real_person: { ...person, consent_confirmed: 'y' } },
    ],
    ['a missing url', { type: 'image' }],
  ])('rejects %s', (_, body) => {
    expect(materialCreateBody.safeParse(body).success).toBe(false);
  });
});

describe('isAvailable', () => {
  const material: Material = {
    id: 'mat_1',
    object: 'material',
    name: 'Ann',
    type: 'image',
    status: 'processing',
    uri: null,
    preview_url: null,
    created_at: null,
    available_at: null,
    expires_at: null,
  };

  test.each<[string, boolean, Partial<Material>]>([
    ['an available material with a URI', true, { status: 'available', uri: 'asset://a' }],
    ['an available material without a URI', false, { status: 'available' }],
    ['a material that is still processing', false, { uri: 'asset://a' }],
    ['a deleted material', false, { status: 'deleted', uri: 'asset://a' }],
  ])('for %s returns %s', (_, available, fields) => {
    expect(isAvailable({ ...material, ...fields })).toBe(available);
  });
});
