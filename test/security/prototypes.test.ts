import { afterEach, describe, expect, test } from 'vitest';

import {
  ConfigurationError,
  Polygate,
  PolygateError,
  parseMaterialCallback,
} from '../../src/index.ts';
import type { PolygateOptions, Receipt } from '../../src/index.ts';
import {
  baseURL,
  caught,
  chat,
  clientOf,
  drain,
  image,
  onMock,
  scripted,
  thrown,
} from '../client/support.ts';
import { allCalls } from '../support/calls.ts';
import { memoryJournal, nested } from './support.ts';

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'then',
  'hasOwnProperty',
];
const fields = [
  '"__proto__":{"polluted":"yes","status":"failed"}',
  '"constructor":{"prototype":{"polluted":"yes"}}',
  '"prototype":{"polluted":"yes"}',
  '"toString":"text"',
  '"valueOf":1',
  '"hasOwnProperty":null',
];
/** Adds hostile fields to every object in JSON, or in the JSON of events. */
const poisoned = (text: string) =>
  text.replace(
    /^(data: )?(\{.*)$/gm,
    (_, head = '', json: string) => head + withHostileFields(JSON.parse(json)),
  );
const withHostileFields = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(withHostileFields).join()}]`;
  if (Object(value) !== value) return JSON.stringify(value);
  const own = Object.entries(value as object);
  return `{${[...fields, ...own.map(([name, field]) => `"${name}":${withHostileFields(field)}`)].join()}}`;
};

const pristine = Reflect.ownKeys(Object.prototype).length;
afterEach(() => {
  const added = Reflect.ownKeys(Object.prototype).length - pristine;
  if (added > 0 || 'polluted' in [] || 'polluted' in Error)
    throw new Error('a prototype was changed');
});

/** The reference gateway with responses that are modified in transit. */
function onModified(change: (json: string) => string, settings = {}) {
  const { mock, gateway } = onMock(settings, { maxRetries: 0 });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { status, headers, ...rest } = await mock.fetch(input, init).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    return new Response(change(rest.text), { status, headers });
  };
  return { mock, gateway: gateway.withOptions({ fetch }) };
}

describe('hostile names in every object of a response', () => {
  test.each(allCalls.map(({ route, call }) => [route, call] as const))(
    '%s: do not change how responses and errors are read',
    async (_, call) => {
      const { gateway, mock } = onModified(poisoned);
      const outcome = await call(gateway).catch((error: unknown) => error);
      if (outcome instanceof PolygateError) expect(outcome.name).toBe('NotFoundError');
      else expect(outcome).toBeTypeOf('object');
      for (const status of [400, 401, 402, 409, 500]) {
        mock.fail({
          route: allCalls.find((one) => one.call === call)?.sent ?? '',
          status,
          times: 1,
        });
        const error = await caught(call(gateway));
        expect(error).toMatchObject({ status });
        expect(error).toBeInstanceOf(PolygateError);
        expect(error.toString()).toContain(String(status));
      }
    },
  );

  test('do not change a task from submit to end', async () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const { gateway, mock } = onModified(poisoned, { tasks: { outcome } });
      const task = await gateway.images.submit(image);
      const updates = await mock.clock.settle(drain(task.updates()));
      expect(updates.at(-1)?.status).toBe(outcome);
      expect(Object.getPrototypeOf(task.latest)).toBe(Object.prototype);
      expect(gateway.resume(JSON.parse(JSON.stringify(task))).id).toBe(task.id);
    }
  });

  test('do not change a registered material or a stream', async () => {
    const { gateway, mock } = onModified(poisoned);
    const source = { url: 'https://files.example/a.png', type: 'image' as const };
    const material = await mock.clock.settle(gateway.materials.register(source));
    expect(material.status).toBe('available');
    const completion = await gateway.chat.completions.stream(chat).final();
    expect(completion.choices[0]?.message.content).toMatch(/\S/);
    expect(Object.getPrototypeOf(completion)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(completion.choices[0]?.message)).toBe(Object.prototype);
  });
});

/** About twenty copies of a JSON text, each with a different primitive value replaced. */
function mutations(json: string, value: string): string[] {
  const plain = /("[^"\\]*(?:\\.[^"\\]*)*"|-?[\d.]+|true|false|null)(?=\s*[,}\]])/g;
  const all = [...json.matchAll(plain)];
  return all
    .filter((_, index) => index % Math.ceil(all.length / 20) === 0)
    .map(({ index, 0: { length } }) => json.slice(0, index) + value + json.slice(index + length));
}

const hostileValues = [
  '{"toString":"x","valueOf":1}',
  '[[]]',
  '-1e308',
  '""',
  nested(20_000),
  'null',
];

describe('a value of the wrong type anywhere in a response is kept or leads to a typed error', () => {
  test.each(allCalls.map(({ route, call }) => [route, call] as const))('%s', async (_, call) => {
    const { gateway: plain } = onMock();
    const untypedErrors: Error[] = [];
    let json = '';
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await onMock().mock.fetch(input, init);
      json = await response.clone().text();
      return response;
    };
    await call(plain.withOptions({ fetch })).catch(() => undefined);
    const bodies = hostileValues.flatMap((value) => mutations(json, value));
    for (const body of bodies) {
      const reply = () => new Response(body, { headers: { 'content-type': 'application/json' } });
      const gateway = clientOf(scripted(reply).fetch, { maxRetries: 0 });
      const outcome = await call(gateway).catch((error: unknown) => error);
      if (outcome instanceof Error && !(outcome instanceof PolygateError))
        untypedErrors.push(outcome);
    }
    expect(untypedErrors).toEqual([]);
  });
});

describe("hostile names in the caller's input", () => {
  test.each(names)('the option %s is rejected', (name) => {
    const options = JSON.parse(
      `{"apiKey":"k","baseURL":"${baseURL}","${name}":{"fetch":1}}`,
    ) as PolygateOptions;
    expect(thrown(() => new Polygate(options))).toBeInstanceOf(ConfigurationError);
    const nestedOptions = {
      apiKey: 'k',
      baseURL,
      retryAmbiguous: JSON.parse(`{"${name}":true}`) as object,
    };
    expect(thrown(() => new Polygate(nestedOptions))).toBeInstanceOf(ConfigurationError);
  });

  test.each(names)('a receipt with %s keeps only its own fields', (name) => {
    const { gateway } = onMock();
    const good = `"v":1,"kind":"image","id":"task_1"`;
    const receipt: unknown = JSON.parse(`{${good},"${name}":{"id":"other","v":1,"kind":"video"}}`);
    expect(JSON.parse(JSON.stringify(gateway.resume(receipt)))).toEqual({
      v: 1,
      kind: 'image',
      id: 'task_1',
    });
    const bare = JSON.parse(`{"${name}":{${good}}}`) as Receipt;
    expect(thrown(() => gateway.resume(bare))).toBeInstanceOf(ConfigurationError);
    const kind = JSON.parse(`{"v":1,"kind":"${name}","id":"task_1"}`) as Receipt;
    expect(thrown(() => gateway.resume(kind))).toBeInstanceOf(ConfigurationError);
  });

  test.each(names)('a journal line of the type %s is reported as damaged', async (name) => {
    const { gateway } = onMock();
    const lines = [
      `{"v":1,"type":"run","run":"r"}`,
      `{"v":1,"type":"${name}","id":"0"}`,
      poisoned('{}'),
    ];
    const rows = await drain(gateway.recover(memoryJournal(lines)));
    expect(rows.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(rows[0]?.error?.message).toContain('line 2');
  });

  test.each(names)('a row with the id %s is processed like any other', async (name) => {
    const { gateway, mock } = onMock();
    const journal = memoryJournal();
    const work = () =>
      gateway.batch([image], (row) => gateway.images.submission(row), { id: () => name, journal });
    for (let run = 0; run < 2; run += 1) {
      const rows = await mock.clock.settle(drain(work()));
      expect(rows.map(({ id, status }) => [id, status])).toEqual([[name, 'succeeded']]);
    }
    expect(mock.invoice).toHaveLength(1);
  });

  test.each(names)('a model named %s is recorded in spend under its name', async (name) => {
    const headers = { 'x-svc-charge-usd': '0.5' };
    const reply = () => new Response('{"id":"t","status":"queued"}', { status: 202, headers });
    const gateway = clientOf(scripted(reply).fetch);
    await gateway.images.submit({ model: name, prompt: name });
    expect([...gateway.spend.byModel]).toEqual([[name, { usd: 0.5, requests: 1 }]]);
  });

  test.each(names)('the callback parameter %s is rejected', (name) => {
    const url = `https://app.example/?${name}=x&material_id=m`;
    expect(thrown(() => parseMaterialCallback(url))).toBeInstanceOf(ConfigurationError);
  });
});
