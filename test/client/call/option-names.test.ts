import { describe, expect, test } from 'vitest';

import { ChatStream, ConfigurationError, Stream } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import { caught, chat, drain, image, onMock, thrown } from '../support.ts';

const video = { model: 'tide-video', prompt: 'A harbor' };
const music = { model: 'anthem-music', prompt: 'A shanty' };
const clone = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const tools: [] = [];
const id = 'task_1';

/** Calls every method with options that the types do not allow. */
type Call = (gateway: Polygate, options: object) => PromiseLike<unknown>;
const calls: Readonly<Record<string, Call>> = {
  'account.retrieve': (gateway, options) => gateway.account.retrieve(options),
  'account.readiness': (gateway, options) => gateway.account.readiness(options),
  'account.balance': (gateway, options) => gateway.account.balance(options),
  'models.list': (gateway, options) => gateway.models.list(options),
  'models.retrieve': (gateway, options) => gateway.models.retrieve('aurora-chat', options),
  'chat create': (gateway, options) => gateway.chat.completions.create(chat, options),
  'chat stream': (gateway, options) => gateway.chat.completions.stream(chat, options).final(),
  'chat run': (gateway, options) => gateway.chat.completions.run({ ...chat, tools }, options),
  'images.submit': (gateway, options) => gateway.images.submit(image, options),
  'images.generate': (gateway, options) => gateway.images.generate(image, options),
  'images.submission': (gateway, options) => gateway.images.submission(image, options).send(),
  'images.retrieve': (gateway, options) => gateway.images.retrieve(id, options),
  'images.wait': (gateway, options) => gateway.images.wait(id, options),
  'videos.submit': (gateway, options) => gateway.videos.submit(video, options),
  'videos.generate': (gateway, options) => gateway.videos.generate(video, options),
  'music.submit': (gateway, options) => gateway.audio.music.submit(music, options),
  'music.generate': (gateway, options) => gateway.audio.music.generate(music, options),
  'task.wait': (gateway, options) => gateway.images.task(id).wait(options),
  'task.updates': (gateway, options) => drain(gateway.images.task(id).updates(options)),
  'task.retrieve': (gateway, options) => gateway.images.task(id).retrieve(options),
  'voices.list': (gateway, options) => gateway.voices.list({}, options),
  'voices.clone': (gateway, options) => gateway.voices.clone(clone, options),
  'voices.design': (gateway, options) => gateway.voices.design(design, options),
  'materials.create': (gateway, options) => gateway.materials.create(material, options),
  'materials.register': (gateway, options) => gateway.materials.register(material, options),
  'materials.retrieve': (gateway, options) => gateway.materials.retrieve('mat_1', options),
  'materials.delete': (gateway, options) => gateway.materials.delete('mat_1', options),
  'materials.list': (gateway, options) => gateway.materials.list({}, options),
  'materials.wait': (gateway, options) => gateway.materials.wait('mat_1', options),
  'materials.updates': (gateway, options) => drain(gateway.materials.updates('mat_1', options)),
  'public.status': (gateway, options) => gateway.public.status({}, options),
  'public.error': (gateway, options) => gateway.public.error('api_key_required', options),
  request: (gateway, options) => gateway.request({ method: 'GET', path: '/v1/models' }, options),
  'request (its first argument)': (gateway, options) =>
    gateway.request({ method: 'GET', path: '/v1/models', ...options }),
  batch: (gateway, options) =>
    drain(gateway.batch([1], () => gateway.images.submission(image), options)),
  recover: (gateway, options) =>
    drain(gateway.recover({ read: async function* () {}, append: async () => {} }, options)),
  download: (gateway, options) => gateway.download('https://files.example/a.png', options),
};

describe('an unknown option is rejected before anything is sent by', () => {
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const { mock, gateway } = onMock();
    const error = await caught(call(gateway, { idempotency_kye: 'row-1' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('idempotency_kye: unknown option.');
    expect(mock.requests).toEqual([]);
  });

  test('fromReadableStream', () => {
    const options: object = { idleTimeout: 5 };
    for (const read of [Stream, ChatStream]) {
      const error = thrown(() => read.fromReadableStream(new ReadableStream(), options));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toBe('idleTimeout: unknown option.');
    }
  });
});

test.each([
  ['idempotency_key', 'idempotencyKey'],
  ['idempotencykey', 'idempotencyKey'],
  ['IdempotencyKey', 'idempotencyKey'],
  ['idempotencyKye', 'idempotencyKey'],
  ['timeOut', 'timeout'],
  ['max_retries', 'maxRetries'],
  ['extra_body', 'extraBody'],
  ['roote', 'route'],
])('the error for %s suggests %s', async (name, suggestion) => {
  const { gateway } = onMock();
  const error = await caught(gateway.images.submit(image, { [name]: 'row-1' }));
  expect(error.message).toBe(`${name}: unknown option. Did you mean ${suggestion}?`);
});

test('an option of another method is unknown, too', async () => {
  const { mock, gateway } = onMock();
  const options: object = { route: 'generations', waitTimeout: 5 };
  expect((await caught(gateway.chat.completions.create(chat, options))).message).toBe(
    'route: unknown option.',
  );
  expect((await caught(gateway.images.submit(image, options))).message).toBe(
    'waitTimeout: unknown option.',
  );
  expect(mock.requests).toEqual([]);
});

test('wait options of generate and register are checked before anything is paid for', async () => {
  const { mock, gateway } = onMock();
  const invalid = { pollInterval: -1, onUpdate: 'log', signal: 5 };
  for (const [name, value] of Object.entries(invalid)) {
    const options: object = { [name]: value };
    const errors = [
      await caught(gateway.images.generate(image, options)),
      await caught(gateway.materials.register(material, options)),
    ];
    for (const { message } of errors) expect(message).toContain(`${name}: must be`);
  }
  expect(mock.requests).toEqual([]);
});

const { signal } = new AbortController();
test.each([
  ['text', 'row-1'],
  ['a number', 5],
  ['null', null],
  ['a list', ['row-1']],
  ['a signal', signal],
  ['a function', () => 'row-1'],
  ['a map', new Map([['timeout', 5]])],
])(
  '%s in place of the options is rejected, because its contents would be ignored',
  async (_, options) => {
    const { mock, gateway } = onMock();
    const { images, models, materials } = gateway;
    const journal = { read: async function* () {}, append: async () => {} };
    const pending: readonly Promise<unknown>[] = [
      Reflect.apply(models.retrieve, models, ['m', options]),
      Reflect.apply(images.submit, images, [image, options]),
      Reflect.apply(images.generate, images, [image, options]),
      Reflect.apply(images.wait, images, [id, options]),
      Reflect.apply(materials.register, materials, [material, options]),
      Reflect.apply(materials.wait, materials, ['mat_1', options]),
      Reflect.apply(gateway.download, gateway, ['https://files.example/a.png', options]),
      drain(Reflect.apply(gateway.batch, gateway, [[1], () => images.submission(image), options])),
      drain(Reflect.apply(gateway.recover, gateway, [journal, options])),
    ];
    for (const error of await Promise.all(pending.map((call) => caught(call)))) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toBe('options: must be a plain object.');
    }
    expect(mock.requests).toEqual([]);
  },
);

test('a Headers object is rejected, because its fields would be ignored', async () => {
  const { gateway } = onMock();
  const options = {};
  Reflect.set(options, 'headers', new Headers({ 'x-team': 'a' }));
  const error = await caught(gateway.images.submit(image, options));
  expect(error.message).toBe('headers: must be a plain object.');
});

test('arguments of the wrong type are rejected with their name', async () => {
  const { mock, gateway } = onMock();
  const { completions } = gateway.chat;
  const describeRow = () => gateway.images.submission(image);
  const cases: readonly (readonly [Promise<unknown>, string])[] = [
    [Reflect.apply(gateway.download, gateway, [null]), 'source: must be a URL'],
    [Reflect.apply(gateway.download, gateway, [{ urls: [] }]), 'source: must be a URL'],
    [drain(Reflect.apply(gateway.batch, gateway, [5, describeRow])), 'inputs: must be an iterable'],
    [drain(Reflect.apply(gateway.batch, gateway, [[1]])), 'describe: must be a function'],
    [
      drain(Reflect.apply(gateway.recover, gateway, [])),
      'journal: must be an object with read(), append()',
    ],
    [Reflect.apply(completions.parse, completions, [null]), 'params: must be an object'],
    [completions.stream(chat, Object({ signal: 'x' })).final(), 'signal: must be an AbortSignal'],
    [completions.create(Object({ ...chat, response_format: null })), ''],
  ];
  const errors = await Promise.all(cases.map(([call]) => call.catch((error: unknown) => error)));
  for (const [index, [, message]] of cases.entries()) {
    if (message === '') continue;
    expect(errors[index]).toBeInstanceOf(ConfigurationError);
    expect(String(errors[index])).toContain(message);
  }
  expect(mock.requests.length).toBeLessThan(2);
});

test('invalid headers for polls are rejected before a row of a batch is paid for', async () => {
  const { mock, gateway } = onMock();
  const rows = gateway.batch([1], () => gateway.images.submission(image), {
    headers: { 'x-team': 'a\r\nb' },
  });
  expect(await caught(drain(rows))).toBeInstanceOf(ConfigurationError);
  expect(mock.requests).toEqual([]);
});

test('an option whose value is undefined counts as omitted', async () => {
  const { gateway } = onMock();
  const task = await gateway.images.submit(image, { timeout: undefined, route: undefined });
  expect(task.id).not.toBe('');
});
