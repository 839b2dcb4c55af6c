import { describe, expect, test } from 'vitest';

import type { Fault } from '../../../src/mock/index.ts';
import { drain } from '../../client/support.ts';
import { tool } from '../../support/tools.ts';
import { observed } from './observed.ts';
import type { Observed } from './observed.ts';

const prompt = 'PROMPT-wxyz';
const apiKey = 'sk-KEY-wxyz-long-enough';
const idempotencyKey = 'IDEMPOTENCY-wxyz';
const url = 'https://files.example/URL-wxyz.png';
const toolOutput = 'TOOL-wxyz';

const question = `${prompt}: what is the weather?`;
const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: question }] };
const image = { model: 'prism-image', prompt };
const speech = { model: 'echo-speech', text: prompt, voice_id: 'calm-narrator' };
const json = { method: 'POST', headers: { 'content-type': 'application/json' } };

/** Every kind of call, whatever its result. Returns the texts and URLs that the service has sent. */
async function runEverything({ gateway, settle }: Observed) {
  const received = new Set<string>();
  const read = (value: unknown) => {
    for (const [found] of (JSON.stringify(value) ?? '').matchAll(/https?:[^"\\]+/g)) {
      received.add(found);
    }
  };
  const text = (content: unknown) => {
    if (typeof content === 'string' && content.length > 3) received.add(content);
  };
  const key = () => ({ idempotencyKey: `${idempotencyKey}-${received.size}` });
  const { completions } = gateway.chat;
  const tools = [tool('get_weather', () => toolOutput)];
  const post = (path: string, params: object) =>
    gateway.fetch(path, { ...json, body: JSON.stringify(params) }).then((each) => each.text());
  const calls: (() => Promise<unknown>)[] = [
    async () => text((await completions.create(chat, key())).choices[0]?.message.content),
    async () => text((await completions.stream(chat, key()).final()).choices[0]?.message.content),
    async () => drain(await completions.create({ ...chat, stream: true })),
    async () => (await completions.create(chat).asResponse()).text(),
    () => completions.run({ ...chat, tools }),
    async () => read(await gateway.images.generate(image, key())),
    () => gateway.images.submit(image, { idempotencyKey }),
    () => gateway.images.submit(image, { idempotencyKey }),
    () => gateway.images.submit(image, { route: 'generations', ...key() }),
    async () => read(await gateway.videos.generate({ model: 'tide-video', prompt, image: url })),
    async () => read(await gateway.audio.speech.generate(speech)),
    async () => read(await gateway.audio.music.generate({ model: 'anthem-music', prompt })),
    async () => read(await gateway.materials.register({ url, type: 'image', name: prompt })),
    async () => read(await gateway.voices.clone({ audio_url: url, text: prompt })),
    async () => read(await gateway.voices.design({ prompt, preview_text: prompt })),
    () => gateway.models.list(),
    () => gateway.account.retrieve(),
    () => post('/v1/chat/completions', chat),
    () => post('/v1/chat/completions', { ...chat, stream: true }),
    () => post('/v1/images/tasks', image),
    () => post('/v1/responses', { input: prompt }),
    () => gateway.fetch(`/v1/models?${new URLSearchParams({ prompt, key: apiKey }).toString()}`),
    () => gateway.fetch(`/v1/materials/mat_1?${new URLSearchParams({ url }).toString()}`),
  ];
  for (const call of calls) await settle(Promise.allSettled([call()]));
  return received;
}

/** Everything that is exported, as one text. */
async function exportedText({ spans, metrics }: Observed): Promise<string> {
  const recorded = spans().map(({ name, attributes, events, links, status, resource }) => {
    return { name, attributes, events, links, status, resource: resource.attributes };
  });
  return JSON.stringify([recorded, await metrics()]);
}

const keys = [{ key: apiKey }];
// Not hexadecimal, unlike the random ids of spans.
const leaked = /.{0,60}wxyz.{0,20}/gi;
const repeated = `Rejected "${prompt}" of ${apiKey} for ${idempotencyKey}, see ${url}`;
const repeatedBody = {
  error: { message: repeated, code: prompt, type: url, param: apiKey, prompt, url },
  id: 'task_9',
  message: repeated,
  status: 'failed',
};
const faults: readonly Fault[] = [
  { status: 400, message: repeated },
  { status: 402, body: repeatedBody },
  { status: 429, message: repeated, retryAfter: 1000 },
  { status: 500, body: repeated, handled: true },
  { status: 503, body: repeatedBody, headers: { 'x-error': repeated } },
  { status: 200, body: repeated },
  { status: 200, body: { ...repeatedBody, choices: [{ message: { content: 5 } }] }, handled: true },
  { status: 302, body: '', headers: { location: url } },
  { malformed: true },
  { reset: 'after' },
  { truncateBody: 90 },
  { stallHeaders: true },
  { cutStreamAfter: 1 },
  { streamErrorAfter: 1 },
];

describe('spans and metrics never contain the key, prompts, responses, result URLs or idempotency keys', () => {
  test('when calls succeed', async () => {
    const memory = observed({ keys });
    const received = await runEverything(memory);
    const text = await exportedText(memory);
    expect(received.size).toBeGreaterThan(5);
    expect(memory.mock.invoice.length).toBeGreaterThan(10);
    expect([...received].filter((secret) => text.includes(secret))).toEqual([]);
    expect(text.match(leaked)).toBeNull();
    expect(text).not.toMatch(/gen_ai\.(input|output)\.messages/);
  });

  test.each(faults)('when the service repeats them: %o', async (fault) => {
    const options = { maxRetries: 1, timeout: 1000, streamIdleTimeout: 1000 };
    const memory = observed({ keys, tasks: { outcome: 'failed' } }, options);
    memory.mock.fail({ ...fault, probability: 0.7 });
    const received = await runEverything(memory);
    const text = await exportedText(memory);
    expect([...received].filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toMatch(/error\.type/);
    expect(text.match(leaked)).toBeNull();
  });

  test('when tasks and materials fail', async () => {
    const memory = observed({
      keys,
      tasks: { outcome: 'failed' },
      materials: { outcome: 'failed' },
    });
    await runEverything(memory);
    const text = await exportedText(memory);
    expect(text).toContain('TaskFailedError');
    expect(text).toContain('MaterialFailedError');
    expect(text.match(leaked)).toBeNull();
  });
});

describe('with captureContent', () => {
  test('only chats have messages, and nothing has the key', async () => {
    const memory = observed({ keys }, {}, true);
    await runEverything(memory);
    const text = await exportedText(memory);
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain(idempotencyKey);
    for (const { name, attributes, events } of memory.spans()) {
      const { 'gen_ai.input.messages': input, ...others } = attributes;
      delete others['gen_ai.output.messages'];
      expect(JSON.stringify([others, events]).match(leaked)).toBeNull();
      if (!name.startsWith('chat ')) expect(attributes).toEqual(others);
      else expect(input).toContain(prompt);
    }
    expect(JSON.stringify(await memory.metrics()).match(leaked)).toBeNull();
  });

  test('a chat has its messages, and those of its response', async () => {
    const { gateway, settle, spans } = observed({ keys }, {}, true);
    const created = await settle(gateway.chat.completions.create(chat));
    await settle(drain(gateway.chat.completions.stream(chat)));
    const input = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: question }] }]);
    const output = JSON.stringify([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: created.choices[0]?.message.content }],
        finish_reason: 'stop',
      },
    ]);
    for (const stream of [true, false]) {
      const init = { ...json, body: JSON.stringify({ ...chat, stream }) };
      const response = await settle(gateway.fetch('/v1/chat/completions', init));
      await settle(response.text());
    }
    for (const { attributes } of spans()) {
      expect(attributes).toMatchObject({
        'gen_ai.input.messages': input,
        'gen_ai.output.messages': output,
      });
    }
    expect(spans()).toHaveLength(4);
  });

  test('a failed chat has its input, but not the message of the error', async () => {
    const memory = observed({ keys }, { maxRetries: 0 }, true);
    memory.mock.fail({ status: 400, message: `Rejected for ${url}` });
    await memory.settle(Promise.allSettled([memory.gateway.chat.completions.create(chat)]));
    expect(memory.span('chat aurora-chat').attributes['gen_ai.input.messages']).toContain(prompt);
    expect(await exportedText(memory)).not.toContain(url);
  });
});
