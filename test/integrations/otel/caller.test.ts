import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { StackContextManager } from '@opentelemetry/sdk-trace-web';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { Polygate, Task } from '../../../src/index.ts';
import { activeName, tracedGateway } from './traced-gateway.ts';

const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const question = { model: 'aurora-chat', messages };
const image = { model: 'prism-image', prompt: 'A harbor' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const polls = { pollInterval: 100 };
const place = z.object({ city: z.string() });

/** A tool that reports its calls. */
const weather = (onCall: () => void = () => {}) => ({
  name: 'get_weather',
  parameters: place,
  execute() {
    onCall();
    return 'Sunny';
  },
});

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

type Started = PromiseLike<unknown> | AsyncIterable<unknown>;
type Start = (gateway: Polygate, task: Task<'image'>) => Started;

const chat = ['chat aurora-chat'];
const wait = ['wait image', 'wait image > GET /v1/images/tasks/{id}'];
const submit = 'generate_image prism-image';
const generate = ['', ` > ${submit}`, ...wait.map((path) => ` > ${path}`)].map(
  (path) => `generate image${path}`,
);

/** Every kind of method, and the spans below that of the caller. */
const calls: Readonly<Record<string, [start: Start, paths: string[]]>> = {
  'models.list()': [(gateway) => gateway.models.list(), ['GET /v1/models']],
  'models.list().asResponse()': [
    (gateway) => gateway.models.list().asResponse(),
    ['GET /v1/models'],
  ],
  'request()': [
    (gateway) => gateway.request({ method: 'GET', path: '/v1/status' }),
    ['GET /v1/status'],
  ],
  'chat.completions.create()': [(gateway) => gateway.chat.completions.create(question), chat],
  'chat.completions.create() of a stream': [
    (gateway) => gateway.chat.completions.create({ ...question, stream: true }),
    chat,
  ],
  'chat.completions.stream()': [(gateway) => gateway.chat.completions.stream(question), chat],
  'chat.completions.parse()': [
    (gateway) => gateway.chat.completions.parse({ ...question, response_format: place }),
    chat,
  ],
  'chat.completions.run()': [
    (gateway) => gateway.chat.completions.run({ ...question, tools: [weather()] }),
    [...chat, ...chat],
  ],
  'images.submit()': [(gateway) => gateway.images.submit(image), [submit]],
  'submission.send()': [(gateway) => gateway.images.submission(image).send(), [submit]],
  'images.generate()': [(gateway) => gateway.images.generate(image, polls), generate],
  'task.wait()': [(_, task) => task.wait(polls), wait],
  'task.updates()': [(_, task) => task.updates(polls), wait],
  'task.retrieve()': [(_, task) => task.retrieve(), ['GET /v1/images/tasks/{id}']],
  'resume().wait()': [(gateway, task) => gateway.resume(task.toJSON()).wait(polls), wait],
  'materials.register()': [
    (gateway) => gateway.materials.register(material, polls),
    ['POST /v1/materials', 'wait material', 'wait material > GET /v1/materials/{material_id}'],
  ],
  'fetch()': [(gateway) => gateway.fetch('/v1/chat/completions', post(question)), chat],
  'fetch() of a Request with a body': [
    (gateway) =>
      gateway.fetch(new Request(`${gateway.baseURL}/v1/chat/completions`, post(question))),
    chat,
  ],
  'batch()': [
    (gateway) =>
      gateway.batch(['one', 'two'], (prompt) => gateway.images.submission({ ...image, prompt }), {
        ...polls,
      }),
    [submit, submit, ...wait, ...wait].toSorted(),
  ],
};

/** Waits for what a method has returned, and reads it. */
async function finish(started: Started): Promise<void> {
  const result = 'then' in started ? await started : started;
  if (result instanceof Response) await result.text();
  else if (isIterable(result)) for await (const _ of result);
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const managers = {
  'in Node': AsyncLocalStorageContextManager,
  // Like any code in a page without zone.js, this one loses the active span at the first `await`.
  'in a page': StackContextManager,
};
const transports = { 'without hooks': undefined, 'with hooks': { beforeRequest: [() => {}] } };
const cases = Object.entries(managers).flatMap(([where, Manager]) =>
  Object.entries(transports).map(([way, hooks]) => ({ where, way, Manager, hooks })),
);

describe.each(cases)(
  "$where, $way, the caller's active span is the parent of",
  ({ Manager, hooks }) => {
    test.each(Object.entries(calls))('%s', async (_, [start, paths]) => {
      await using service = await tracedGateway({}, new Manager());
      const untraced = service.createClient({ telemetry: undefined });
      const receipt = (await untraced.images.submit(image)).toJSON();
      /** The span that is active while each request is sent. */
      const senders = new Set<string | undefined>();
      const gateway = service.createClient({
        hooks,
        fetch(input, init) {
          senders.add(activeName());
          return fetch(input, init);
        },
      });
      const started = service.inSpan('caller', () => start(gateway, gateway.resume(receipt)));
      // The result may be read later, and elsewhere.
      await service.inSpan('reader', () => finish(started));
      const expected = new Set(['caller', 'reader', ...paths.map((path) => `caller > ${path}`)]);
      expect(new Set(service.paths())).toEqual(expected);
      expect(senders).toEqual(new Set(service.clientSpans()));
    });
  },
);

test('concurrent calls under different spans do not mix, even if one waits for the slot of the other', async () => {
  await using service = await tracedGateway({ latencyMs: 20 });
  const gateway = service.createClient({ concurrency: 1 });
  const work = () => gateway.images.generate(image, polls);
  const callers = ['one', 'two', 'three'];
  await Promise.all(callers.map((caller) => service.inSpan(caller, work)));
  const each = callers.flatMap((caller) => [
    caller,
    ...generate.map((path) => `${caller} > ${path}`),
  ]);
  expect(new Set(service.paths())).toEqual(new Set(each));
});

test('recovered rows nest under the active span', async () => {
  await using service = await tracedGateway();
  const untraced = service.createClient({ telemetry: undefined });
  const lines: string[] = [];
  const journal = {
    append: async (line: string) => void lines.push(line),
    async *read() {
      yield* lines;
    },
  };
  const submission = () => untraced.images.submission(image);
  // The caller stops before it takes the result.
  for await (const _ of untraced.batch(['one'], submission, { ...polls, journal })) break;
  const gateway = service.createClient();
  const rows = service.inSpan('caller', () => gateway.recover(journal, polls));
  await service.inSpan('reader', () => finish(rows));
  const expected = ['caller', 'reader', ...wait.map((path) => `caller > ${path}`)];
  expect(new Set(service.paths())).toEqual(new Set(expected));
});
