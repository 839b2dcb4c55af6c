import { describe, expect, test } from 'vitest';

import { ResponseValidationError } from '../../src/index.ts';
import type { Polygate } from '../../src/index.ts';
import { answer, clientOf, onMock, scripted } from '../core/support.ts';
import { records, requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import { wholeClone, wholeDesign } from '../support/voices.ts';
import * as bodies from '../wire/bodies.ts';

describe('voices.list()', () => {
  test.each([
    [undefined, ''],
    [{}, ''],
    [{ model: 'echo-speech-hd' }, '?model=echo-speech-hd'],
  ])('with %j asks GET /v1/audio/voices%s', async (query, search) => {
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
    const { fetch, sent } = scripted(answer(200, bodies.voiceList));
    await clientOf(fetch).voices.list({ [name]: 'a/b &c' });
    expect(new URL(sent[0]?.url ?? '').searchParams.get(name)).toBe('a/b &c');
  });

  test('gives the record, a loop over it gives the voices, and of one model those that fit', async () => {
    const { gateway } = onMock();
    const list = await gateway.voices.list({ model: 'echo-speech-hd' });
    expect(list).toMatchObject({ object: 'audio.voice.list', model: 'echo-speech-hd' });
    expect([...list]).toEqual(list.data);
    const every = await gateway.voices.list();
    expect(every.data.length).toBeGreaterThan(list.data.length);
    for (const voice of list) expect(voice.compatible_models).toContain('echo-speech-hd');
  });

  test.each(rows(records.Voice))('tells %s', async (name, field) => {
    const data = [bodies.voice, { ...bodies.voice, preview_audio_url: 'https://files.example/a' }];
    const strange = clientOf(scripted(answer(200, { object: 'audio.voice.list', data })).fetch);
    const { data: read } = await strange.voices.list();
    expect(
      difference(
        field,
        read.map((voice, index) => ({ read: voice, sent: data[index] })),
      ),
    ).toBeUndefined();
    const { gateway } = onMock();
    await gateway.voices.design(wholeDesign);
    for (const voice of await gateway.voices.list()) {
      expect(voice).toHaveProperty(name.replace('[]', '[0]'));
    }
  });

  test('knows where a voice comes from, and who may use it', async () => {
    const { gateway } = onMock();
    await gateway.voices.clone(wholeClone);
    await gateway.voices.design(wholeDesign);
    const { data } = await gateway.voices.list();
    const kinds = data.map((voice) =>
      [voice.source_type, voice.visibility, voice.status].join(' '),
    );
    expect(new Set(kinds)).toEqual(
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

  test("shows nobody else's private voices", async () => {
    const keys = [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ];
    const { gateway } = onMock({ keys });
    const { voice_id: id } = await gateway.voices.design(wholeDesign);
    const ids = async (client: Polygate) =>
      (await client.voices.list()).data.map((voice) => voice.voice_id);
    expect(await ids(gateway)).toContain(id);
    expect(await ids(gateway.withOptions({ apiKey: 'sk-b' }))).not.toContain(id);
  });
});

describe('a surprise in a record', () => {
  test('is kept as it came', async () => {
    const odd = { ...bodies.voiceCreation, outputs: null, mood: 'calm', voice: undefined };
    const wire: unknown = JSON.parse(JSON.stringify(odd));
    const voices = [{ voice_id: 'v', source_type: 'dreamt', colour: 1 }, { display_name: 'x' }];
    const { fetch } = scripted(answer(200, odd), answer(200, { data: voices, more: true }));
    const gateway = clientOf(fetch);
    expect(await gateway.voices.design(wholeDesign)).toEqual(wire);
    expect(await gateway.voices.list()).toEqual({ data: voices, more: true });
  });

  test.each([
    ['a voice id that is a number', { ...bodies.voiceCreation, voice_id: 7 }],
    ['no voice id', { ...bodies.voiceCreation, voice_id: undefined }],
  ])('where the client needs the field is an error with body and meta: %s', async (_, body) => {
    const gateway = clientOf(scripted(answer(200, body, { 'x-svc-charge-usd': '3' })).fetch);
    const made = Promise.resolve(gateway.voices.design(wholeDesign));
    const error = await rejection(ResponseValidationError, made);
    expect(error.body).toEqual(JSON.parse(JSON.stringify(body)));
    expect(error).toMatchObject({ outcome: 'unknown', meta: { status: 200, chargeUsd: 3 } });
    expect(gateway.spend.totalUsd).toBe(3);
  });
});
