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
} from '../core/support.ts';
import { every } from '../support/calls.ts';
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
/** JSON, or the JSON of events, with hostile fields in every record of it. */
const poisoned = (text: string) =>
  text.replace(
    /^(data: )?(\{.*)$/gm,
    (_, head = '', json: string) => head + written(JSON.parse(json)),
  );
const written = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (Object(value) !== value) return JSON.stringify(value);
  const own = Object.entries(value as object);
  return `{${[...fields, ...own.map(([name, field]) => `"${name}":${written(field)}`)].join()}}`;
};

const pristine = Reflect.ownKeys(Object.prototype).length;
afterEach(() => {
  const added = Reflect.ownKeys(Object.prototype).length - pristine;
  if (added > 0 || 'polluted' in [] || 'polluted' in Error)
    throw new Error('a prototype was changed');
});

/** The reference gateway, whose answers are changed on their way. */
function onChanged(change: (json: string) => string, settings = {}) {
  const { mock, gateway } = onMock(settings, { maxRetries: 0 });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { status, headers, ...answer } = await mock.fetch(input, init).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    return new Response(change(answer.text), { status, headers });
  };
  return { mock, gateway: gateway.withOptions({ fetch }) };
}

describe('hostile names in every record of an answer', () => {
  test.each(every.map(({ route, call }) => [route, call] as const))(
    '%s: an answer is read as without them, a refusal too',
    async (_, call) => {
      const { gateway, mock } = onChanged(poisoned);
      const outcome = await call(gateway).catch((error: unknown) => error);
      if (outcome instanceof PolygateError) expect(outcome.name).toBe('NotFoundError');
      else expect(outcome).toBeTypeOf('object');
      for (const status of [400, 401, 402, 409, 500]) {
        mock.fail({ route: every.find((one) => one.call === call)?.sent ?? '', status, times: 1 });
        const error = await caught(call(gateway));
        expect(error).toMatchObject({ status });
        expect(error).toBeInstanceOf(PolygateError);
        expect(error.toString()).toContain(String(status));
      }
    },
  );

  test('of a task, from its submit to its end', async () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const { gateway, mock } = onChanged(poisoned, { tasks: { outcome } });
      const task = await gateway.images.submit(image);
      const updates = await mock.clock.settle(drain(task.updates()));
      expect(updates.at(-1)?.status).toBe(outcome);
      expect(Object.getPrototypeOf(task.latest)).toBe(Object.prototype);
      expect(gateway.resume(JSON.parse(JSON.stringify(task))).id).toBe(task.id);
    }
  });

  test('of a material that is registered, and of a stream', async () => {
    const { gateway, mock } = onChanged(poisoned);
    const source = { url: 'https://files.example/a.png', type: 'image' as const };
    const material = await mock.clock.settle(gateway.materials.register(source));
    expect(material.status).toBe('available');
    const completion = await gateway.chat.completions.stream(chat).final();
    expect(completion.choices[0]?.message.content).toMatch(/\S/);
    expect(Object.getPrototypeOf(completion)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(completion.choices[0]?.message)).toBe(Object.prototype);
  });
});

/** A JSON text, each time with another of its plain values replaced; some twenty of them, from its start to its end. */
function changes(json: string, value: string): string[] {
  const plain = /("[^"\\]*(?:\\.[^"\\]*)*"|-?[\d.]+|true|false|null)(?=\s*[,}\]])/g;
  const all = [...json.matchAll(plain)];
  return all
    .filter((_, index) => index % Math.ceil(all.length / 20) === 0)
    .map(({ index, 0: { length } }) => json.slice(0, index) + value + json.slice(index + length));
}

const strangers = ['{"toString":"x","valueOf":1}', '[[]]', '-1e308', '""', nested(20_000), 'null'];

describe('a value of another kind anywhere in an answer is kept, or a typed error: nothing else', () => {
  test.each(every.map(({ route, call }) => [route, call] as const))('%s', async (_, call) => {
    const { gateway: plain } = onMock();
    const strange: Error[] = [];
    let json = '';
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await onMock().mock.fetch(input, init);
      json = await response.clone().text();
      return response;
    };
    await call(plain.withOptions({ fetch })).catch(() => undefined);
    const bodies = strangers.flatMap((value) => changes(json, value));
    for (const body of bodies) {
      const reply = () => new Response(body, { headers: { 'content-type': 'application/json' } });
      const gateway = clientOf(scripted(reply).fetch, { maxRetries: 0 });
      const outcome = await call(gateway).catch((error: unknown) => error);
      if (outcome instanceof Error && !(outcome instanceof PolygateError)) strange.push(outcome);
    }
    expect(strange).toEqual([]);
  });
});

describe('hostile names in what the caller gives', () => {
  test.each(names)('the option %s is none', (name) => {
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

  test.each(names)('a receipt with %s holds what it needs, and no more', (name) => {
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

  test.each(names)('a journal whose line is of the type %s has one damaged line', async (name) => {
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

  test.each(names)('a row named %s is a row', async (name) => {
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

  test.each(names)('a model named %s is charged under its name', async (name) => {
    const headers = { 'x-svc-charge-usd': '0.5' };
    const reply = () => new Response('{"id":"t","status":"queued"}', { status: 202, headers });
    const gateway = clientOf(scripted(reply).fetch);
    await gateway.images.submit({ model: name, prompt: name });
    expect([...gateway.spend.byModel]).toEqual([[name, { usd: 0.5, requests: 1 }]]);
  });

  test.each(names)('the parameter %s makes no callback', (name) => {
    const url = `https://app.example/?${name}=x&material_id=m`;
    expect(thrown(() => parseMaterialCallback(url))).toBeInstanceOf(ConfigurationError);
  });
});
