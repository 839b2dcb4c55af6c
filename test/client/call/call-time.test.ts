import { expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { ChatParams, MaterialCreateParams, VoiceCloneParams } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  completeStream,
  eventStream,
  image,
  onMock,
  scripted,
  streamReply,
} from '../support.ts';

const contents = (body: unknown) => JSON.parse(JSON.stringify(body));

test('a chat request sends what the params held when the method was called', async () => {
  const { mock, gateway } = onMock();
  const params: ChatParams & { messages: object[] } = { ...chat, messages: [...chat.messages] };
  const pending = gateway.chat.completions.create(params);
  params.messages.push({ role: 'user', content: 'Too late' });
  params.model = 'another';
  await pending;
  expect(mock.requests[0]?.body).toEqual(chat);
});

test('a chat stream sends what the params held when the method was called', async () => {
  const { fetch, sent } = scripted(
    streamReply(completeStream, (body) => body.close(), eventStream),
  );
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const stream = clientOf(fetch).chat.completions.stream({ model: 'aurora-chat', messages });
  messages.push({ role: 'user', content: 'Too late' });
  await stream.final();
  expect(contents(JSON.parse(sent[0]?.body ?? '')).messages).toEqual(chat.messages);
});

test('submissions, voices and materials send what the params held at the call', async () => {
  const { mock, gateway } = onMock();
  const params = { ...image, extra_body: { seed: 1 } };
  const clone: VoiceCloneParams = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
  const material: MaterialCreateParams = { url: 'https://files.example/a.png', type: 'image' };
  const pending = [
    gateway.images.submit(params),
    gateway.voices.clone(clone),
    gateway.materials.create(material),
    gateway.request({ method: 'POST', path: '/v1/images/tasks', body: params }),
  ];
  params.extra_body.seed = 2;
  clone.text = 'Too late';
  material.url = 'https://files.example/too-late.png';
  await Promise.all(pending);
  const bodies = JSON.stringify(mock.requests.map(({ body }) => body));
  expect(bodies).not.toContain('late');
  expect(bodies).not.toContain('"seed":2');
  expect(bodies.match(/"seed":1/g)).toHaveLength(2);
});

test('options are read when the method is called', async () => {
  const { mock, gateway } = onMock();
  const options = { idempotencyKey: 'row-1', headers: { 'x-team': 'a' } };
  const pending = gateway.images.submit(image, options);
  options.idempotencyKey = 'row-2';
  options.headers['x-team'] = 'b';
  await pending;
  expect(mock.requests[0]?.headers).toMatchObject({ 'x-idempotency-key': 'row-1', 'x-team': 'a' });
});

test('a submission sends what its params held when it was created', async () => {
  const { mock, gateway } = onMock();
  const params = { ...image, extra_body: { seed: 1 } };
  const submission = gateway.images.submission(params);
  params.prompt = 'Too late';
  params.extra_body.seed = 2;
  await submission.send();
  expect(mock.requests[0]?.body).toEqual({ ...image, extra_body: { seed: 1 } });
});

test('the fingerprint of a submission belongs to the body that it sends', async () => {
  const { gateway } = onMock();
  const params = { ...image, extra_body: { seed: 1 } };
  const submission = gateway.images.submission(params);
  const before = await submission.details();
  params.extra_body.seed = 2;
  const after = await submission.details();
  expect(after).toEqual(before);
  expect(JSON.parse(after.body)).toEqual({ ...image, extra_body: { seed: 1 } });
});

test('a row whose params change while it is in flight runs once and can be continued', async () => {
  const lines: string[] = [];
  const journal = {
    read: async function* () {
      yield* lines;
    },
    append: async (line: string) => void lines.push(line),
  };
  const { mock, gateway } = onMock();
  const run = async (change: boolean) => {
    const shared = { ...image, extra_body: { seed: 1 } };
    const rows = gateway.batch(
      [1],
      () => {
        const submission = gateway.images.submission(shared);
        if (change) shared.extra_body.seed = 2;
        return submission;
      },
      { journal, storeParams: true },
    );
    const statuses: string[] = [];
    await mock.clock.settle(
      (async () => {
        for await (const { status } of rows) statuses.push(status);
      })(),
    );
    return statuses;
  };
  expect(await run(true)).toEqual(['succeeded']);
  expect(await run(false)).toEqual(['succeeded']);
  expect(mock.invoice).toHaveLength(1);
  expect(lines.join('\n')).toContain('"seed":1');
});

test('params that JSON cannot hold are rejected with what is wrong, and nothing is sent', async () => {
  const { mock, gateway } = onMock();
  const cyclic: Record<string, unknown> = { ...image };
  cyclic.self = cyclic;
  const invalid: readonly object[] = [{ ...image, seed: 5n }, cyclic];
  for (const params of invalid) {
    const body: typeof image & object = { ...image, ...params };
    const error = await caught(gateway.images.submit(body));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('params: must be serializable as JSON');
  }
  expect(mock.requests).toEqual([]);
});
