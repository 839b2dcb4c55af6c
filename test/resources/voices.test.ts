import { describe, expect, test } from 'vitest';

import { ResponseValidationError } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import { jsonReply, clientOf, onMock, scripted } from '../client/support.ts';
import { records, requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import { allCloneFields, allDesignFields } from '../support/voices.ts';
import * as bodies from '../wire/bodies.ts';

describe('voices.list()', () => {
  test.each([
    [undefined, ''],
    [{}, ''],
    [{ model: 'echo-speech-hd' }, '?model=echo-speech-hd'],
  ])('with %j sends GET /v1/audio/voices%s', async (query, search) => {
    const { gateway, mock } = onMock();
    await gateway.voices.list(query);
    expect(mock.requests).toMatchObject([
      {
        method: 'GET',
        path: '/v1/audio/voices',
        search,
        bodyText: '',
        headers: { authorization: `Bearer ${mock.apiKey}` },
      },
    ]);
  });

  test.each(rows(requests['Voice list query']))('sends the query %s, encoded', async (name) => {
    const { fetch, sent } = scripted(jsonReply(200, bodies.voiceList));
    await clientOf(fetch).voices.list({ [name]: 'a/b &c' });
    expect(new URL(sent[0]?.url ?? '').searchParams.get(name)).toBe('a/b &c');
  });

  test('returns the voices of a model in a record that iterates over them', async () => {
    const { gateway } = onMock();
    const list = await gateway.voices.list({ model: 'echo-speech-hd' });
    expect(list).toMatchObject({ object: 'audio.voice.list', model: 'echo-speech-hd' });
    expect([...list]).toEqual(list.data);
    const every = await gateway.voices.list();
    expect(every.data.length).toBeGreaterThan(list.data.length);
    for (const voice of list) expect(voice.compatible_models).toContain('echo-speech-hd');
  });

  test.each(rows(records.Voice))('returns %s', async (name, field) => {
    const data = [bodies.voice, { ...bodies.voice, preview_audio_url: 'https://files.example/a' }];
    const scriptedGateway = clientOf(
      scripted(jsonReply(200, { object: 'audio.voice.list', data })).fetch,
    );
    const { data: read } = await scriptedGateway.voices.list();
    expect(
      difference(
        field,
        read.map((voice, index) => ({ read: voice, sent: data[index] })),
      ),
    ).toBeUndefined();
    const { gateway } = onMock();
    await gateway.voices.design(allDesignFields);
    for (const voice of await gateway.voices.list()) {
      expect(voice).toHaveProperty(name.replace('[]', '[0]'));
    }
  });

  test('returns the source and the visibility of each voice', async () => {
    const { gateway } = onMock();
    await gateway.voices.clone(allCloneFields);
    await gateway.voices.design(allDesignFields);
    const { data } = await gateway.voices.list();
    const combinations = data.map((voice) =>
      [voice.source_type, voice.visibility, voice.status].join(' '),
    );
    expect(new Set(combinations)).toEqual(
      new Set([
        'system public active',
        'voice_clone private active',
        'voice_design private active',
      ]),
    );
    for (const { created_at: at } of data) expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('is not billed', async () => {
    const { gateway, mock } = onMock();
    const { meta } = await gateway.voices.list().withResponse();
    expect(meta.chargeUsd).toBeUndefined();
    expect(mock.invoice).toEqual([]);
    expect(gateway.spend).toMatchObject({ totalUsd: 0, requests: 0 });
  });

  test('excludes private voices of other users', async () => {
    const keys = [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ];
    const { gateway } = onMock({ keys });
    const { voice_id: id } = await gateway.voices.design(allDesignFields);
    const ids = async (client: Polygate) =>
      (await client.voices.list()).data.map((voice) => voice.voice_id);
    expect(await ids(gateway)).toContain(id);
    expect(await ids(gateway.withOptions({ apiKey: 'sk-b' }))).not.toContain(id);
  });
});

describe('a record that differs from the documentation', () => {
  test('is returned unchanged', async () => {
    const unexpected = { ...bodies.voiceCreation, outputs: null, mood: 'calm', voice: undefined };
    const wire: unknown = JSON.parse(JSON.stringify(unexpected));
    const voices = [{ voice_id: 'v', source_type: 'dreamt', colour: 1 }, { display_name: 'x' }];
    const { fetch } = scripted(
      jsonReply(200, unexpected),
      jsonReply(200, { data: voices, more: true }),
    );
    const gateway = clientOf(fetch);
    expect(await gateway.voices.design(allDesignFields)).toEqual(wire);
    expect(await gateway.voices.list()).toEqual({ data: voices, more: true });
  });

  test.each([
    ['a voice id that is a number', { ...bodies.voiceCreation, voice_id: 7 }],
    ['no voice id', { ...bodies.voiceCreation, voice_id: undefined }],
  ])(
    'is rejected with body and meta if a field that the client needs is invalid: %s',
    async (_, body) => {
      const gateway = clientOf(scripted(jsonReply(200, body, { 'x-svc-charge-usd': '3' })).fetch);
      const promise = Promise.resolve(gateway.voices.design(allDesignFields));
      const error = await rejection(ResponseValidationError, promise);
      expect(error.body).toEqual(JSON.parse(JSON.stringify(body)));
      expect(error).toMatchObject({ outcome: 'unknown', meta: { status: 200, chargeUsd: 3 } });
      expect(gateway.spend.totalUsd).toBe(3);
    },
  );
});
