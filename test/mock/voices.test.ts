import { expect, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { callerOf, speech } from './caller.ts';

const start = () => {
  const mock = createMockGateway({
    clock: 'virtual',
    keys: [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ],
  });
  return { mock, caller: callerOf(mock), other: callerOf(mock, 'sk-b') };
};
const speak = (voice_id: string, model = 'echo-speech') => ({ ...speech, model, voice_id });

test('voices are listed for all models or for one, and listing is free', async () => {
  const { mock, caller } = start();
  const all = await caller.read('/v1/audio/voices');
  const some = await caller.read('/v1/audio/voices?model=echo-speech-hd');
  expect(all).toMatchObject({ object: 'audio.voice.list', model: null });
  expect(some.model).toBe('echo-speech-hd');
  expect(some.data.length).toBeLessThan(all.data.length);
  expect((await caller.get('/v1/audio/voices?model=anthem-music')).status).toBe(400);
  expect(mock.invoice).toEqual([]);
  const preview = await mock.fetch(all.data[0].preview_audio_url);
  expect(preview.headers.get('content-type')).toBe('audio/wav');
});

test('a cloned voice is private, active and immediately usable', async () => {
  const { caller, other } = start();
  const created = await caller.submit('/v1/audio/voices/clone', {
    audio_url: 'https://files.example/me.wav',
    text: 'Hello',
    name: 'Me',
    accuracy: '0.8',
  });
  expect(created).toMatchObject({
    object: 'audio.voice',
    voice: {
      display_name: 'Me',
      source_type: 'voice_clone',
      visibility: 'private',
      status: 'active',
    },
    billing_contract: {
      operation: 'audio.voice_clone',
      settlement_policy: 'fixed_at_estimate',
      billing_stage: 'final',
      facts: { voice_clones: 1, preview_characters: 5 },
    },
    outputs: [{ type: 'audio', url: created.preview_audio_url }],
  });
  expect(created.voice.voice_id).toBe(created.voice_id);
  expect((await caller.post('/v1/audio/tasks', speak(created.voice_id))).status).toBe(202);
  expect((await other.post('/v1/audio/tasks', speak(created.voice_id))).status).toBe(400);
  const listed = await other.read('/v1/audio/voices');
  expect(JSON.stringify(listed)).not.toContain(created.voice_id);
});

test('a designed voice counts the characters of its preview', async () => {
  const { caller } = start();
  const created = await caller.submit('/v1/audio/voices/design', { prompt: 'warm', text: 'Hi 👋' });
  expect(created.billing_contract).toMatchObject({
    operation: 'audio.voice_design',
    facts: { voice_designs: 1, preview_characters: 4 },
  });
});

test('a voice that is not compatible with the model is rejected', async () => {
  const { caller } = start();
  expect((await caller.post('/v1/audio/tasks', speak('radio-tokyo'))).status).toBe(202);
  const hd = await caller.post('/v1/audio/tasks', speak('radio-tokyo', 'echo-speech-hd'));
  expect(hd.status).toBe(400);
  expect((await hd.json()).error.message).toContain('`voice_id` is not compatible');
});

test('a voice can be a name or a mix', async () => {
  const { caller } = start();
  const { voice_id: _, ...plain } = speech;
  const mix = [{ voice_id: 'calm-narrator', weight: 1 }];
  for (const [fields, status] of [
    [{ voice: 'alloy' }, 202],
    [{ timber_weights: mix }, 202],
    [{ timber_weights: [{ voice_id: 'none', weight: 1 }] }, 400],
    [{ timber_weights: [] }, 400],
  ] as const) {
    expect((await caller.post('/v1/audio/tasks', { ...plain, ...fields })).status).toBe(status);
  }
});

test('an idempotency key prevents a second charge for a clone only if A12 is set to replay', async () => {
  const headers = { 'x-idempotency-key': 'k' };
  const body = { audio_url: 'https://files.example/me.wav' };
  for (const [A12, lines] of [
    ['charge', 2],
    ['replay', 1],
  ] as const) {
    const mock = createMockGateway({ assumptions: { A12 } });
    const caller = callerOf(mock);
    const first = await caller.submit('/v1/audio/voices/clone', body, headers);
    const second = await caller.submit('/v1/audio/voices/clone', body, headers);
    expect(second.voice_id === first.voice_id).toBe(A12 === 'replay');
    expect(mock.invoice).toHaveLength(lines);
  }
});

test('an empty text does not take precedence over its alias', async () => {
  const { caller } = start();
  const body = { audio_url: 'https://files.example/a.wav', text: '', preview_text: 'Hello' };
  const created = await caller.submit('/v1/audio/voices/clone', body);
  expect(created.billing_contract.facts.preview_characters).toBe(5);
});
