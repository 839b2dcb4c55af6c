import { expect, test } from 'vitest';

import { drain, onMock } from '../client/support.ts';
import { apiKey, recordingLogger, memoryJournal } from './support.ts';

/** A unique marker for each field that must not be logged. */
const secret = (field: string) => `canary-${field}-4e7b`;
const address = (field: string) => `https://files.example/${secret(field)}?token=${secret(field)}`;

test('the debug log contains no prompts, messages, file URLs, verification URLs or callback URLs', async () => {
  const { lines, logger } = recordingLogger();
  const { mock, gateway } = onMock({ keys: [{ key: apiKey }] }, { logger, logLevel: 'debug' });
  mock.fail({ route: 'POST /v1/images/tasks', status: 503, times: 1 });
  mock.fail({ route: 'POST /v1/materials', reset: 'after', times: 1 });
  mock.fail({ route: 'GET /v1/materials/{id}', status: 500, times: 2 });
  const verifications: string[] = [];
  const onVerification = ({ url }: { url: string }) => void verifications.push(url);
  const person = {
    type: 'image',
    url: address('source'),
    name: secret('name'),
    real_person: {
      consent_confirmed: true,
      callback_url: `https://app.example/${secret('callback')}?state=${secret('state')}`,
    },
  } as const;
  const image = { model: 'prism-image', prompt: secret('image'), image: address('reference') };
  const video = {
    model: 'tide-video',
    prompt: secret('video'),
    extra_body: { negative_prompt: secret('negative') },
    content: [{ type: 'text' as const, text: secret('content') }],
  };
  const chat = {
    model: 'aurora-chat',
    messages: [
      { role: 'system' as const, content: secret('system') },
      { role: 'user' as const, content: [{ type: 'text' as const, text: secret('user') }] },
    ],
  };
  const register = gateway.materials.register(person, { onVerification, waitTimeout: 20_000 });
  const calls: PromiseLike<unknown>[] = [
    register,
    gateway.images.generate(image),
    gateway.videos.generate(video),
    gateway.audio.music.generate({ model: 'anthem-music', prompt: secret('music') }),
    gateway.audio.speech.generate({
      model: 'herald-speech',
      text: secret('speech'),
      voice_id: 'v',
    }),
    gateway.voices.clone({ audio_url: address('voice'), text: secret('clone') }),
    gateway.voices.design({ prompt: secret('design'), preview_text: secret('preview') }),
    gateway.chat.completions.create(chat),
    gateway.chat.completions.stream(chat).final(),
    gateway.chat.completions.create({ ...chat, model: 'nothing' }),
    gateway.models.retrieve(secret('model')),
    gateway.materials.list(),
    gateway.request({ method: 'GET', path: '/v1/none', query: { token: secret('query') } }),
    gateway.request({ method: 'GET', path: `/v1/none?token=${secret('search')}` }),
    gateway.download(address('download')),
    drain(
      gateway.batch([secret('row')], (prompt) => gateway.images.submission({ ...image, prompt }), {
        journal: memoryJournal(['not JSON: ' + secret('journal')], true),
      }),
    ),
  ];
  await mock.clock.settle(Promise.allSettled(calls));
  expect(verifications).toHaveLength(1);
  expect(mock.requests.map(({ body }) => JSON.stringify(body)).join()).toContain(
    secret('callback'),
  );
  expect(lines.length).toBeGreaterThan(20);
  const log = lines.join('\n');
  expect(log).not.toMatch(/canary-/);
  expect(log).not.toContain(verifications[0]);
  expect(log).not.toMatch(/verify|callback|token=|https?:/);
});
