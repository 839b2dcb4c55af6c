import { describe, expect, test } from 'vitest';

import { ChatClient } from '../../../src/chat.ts';
import { ConfigurationError, Polygate } from '../../../src/index.ts';
import type { ChatClientOptions, Hooks, PolygateOptions } from '../../../src/index.ts';
import { chat, clientOf, completed, completion, scripted, thrown } from '../support.ts';

const idle = () => undefined;
const base = { apiKey: 'sk-test', baseURL: 'https://gateway.example' };

const notAnObject = 'hooks: must be an object.';
const notFunctions = (name: string) => `hooks.${name}: must be an array of functions.`;

/** Options that the types do not allow, and why they are rejected. */
const invalid: Readonly<Record<string, readonly [hooks: unknown, message: string]>> = {
  null: [null, notAnObject],
  'a function': [idle, notAnObject],
  'an array': [[idle], notAnObject],
  'an empty array': [[], notAnObject],
  "ky's beforeRetry": [{ beforeRetry: [idle] }, 'hooks.beforeRetry: unknown option.'],
  "ky's beforeError": [{ beforeError: [idle] }, 'hooks.beforeError: unknown option.'],
  "ky's init": [{ init: [idle] }, 'hooks.init: unknown option.'],
  'a misspelled name': [
    { beforeRequests: [idle] },
    'hooks.beforeRequests: unknown option. Did you mean beforeRequest?',
  ],
  'a name of Object.prototype': [{ toString: [idle] }, 'hooks.toString: unknown option.'],
  'a function in place of an array': [{ beforeRequest: idle }, notFunctions('beforeRequest')],
  'an object in place of an array': [
    { afterResponse: { 0: idle, length: 1 } },
    notFunctions('afterResponse'),
  ],
  'null in place of an array': [{ afterResponse: null }, notFunctions('afterResponse')],
  'an array with something else': [
    { beforeRequest: [idle, 'idle'] },
    notFunctions('beforeRequest'),
  ],
  'an array with a hole': [{ beforeRequest: Array(1) }, notFunctions('beforeRequest')],
  'an array with undefined': [{ afterResponse: [undefined] }, notFunctions('afterResponse')],
};

/** Options as JavaScript can pass them. */
const untyped = (hooks: unknown) => ({ ...base, hooks: hooks as Hooks });

describe.each(Object.entries(invalid))('hooks: %s', (_, [hooks, message]) => {
  test('is rejected by the constructor', () => {
    const error = thrown(() => new Polygate(untyped(hooks)));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe(message);
  });

  test('is rejected by withOptions', () => {
    const gateway = new Polygate(base);
    expect(thrown(() => gateway.withOptions(untyped(hooks)))).toBeInstanceOf(ConfigurationError);
  });
});

describe('a client without a hook', () => {
  const without: readonly (Hooks | undefined)[] = [
    undefined,
    {},
    { beforeRequest: [], afterResponse: [] },
    { beforeRequest: undefined, afterResponse: undefined },
  ];

  test.each(without)('calls fetch with the URL and a text body: %o', async (hooks) => {
    const calls: Parameters<typeof fetch>[] = [];
    const fetch: typeof globalThis.fetch = async (...call) => {
      calls.push(call);
      return Response.json(completion);
    };
    await clientOf(fetch, { hooks }).chat.completions.create(chat);
    expect(calls).toEqual([
      [
        'https://gateway.example/v1/chat/completions',
        expect.objectContaining({ method: 'POST', body: JSON.stringify(chat) }),
      ],
    ]);
  });
});

describe('withOptions', () => {
  const record = () => {
    const seen: string[] = [];
    const named = (name: string): Hooks => ({ beforeRequest: [() => void seen.push(name)] });
    const { fetch } = scripted(completed);
    const gateway = clientOf(fetch, { hooks: named('parent') });
    const run = async (options: PolygateOptions) => {
      await gateway.withOptions(options).chat.completions.create(chat);
      return seen.splice(0);
    };
    return { gateway, named, run, seen };
  };

  test('inherits, replaces and removes hooks', async () => {
    const { gateway, named, run, seen } = record();
    expect(await run({ timeout: 5_000 })).toEqual(['parent']);
    expect(await run({ hooks: named('child') })).toEqual(['child']);
    expect(await run({ hooks: {} })).toEqual([]);
    expect(await run({ hooks: undefined })).toEqual([]);
    await gateway.chat.completions.create(chat);
    expect(seen).toEqual(['parent']);
  });
});

test('later changes to the arrays affect neither the client nor clients derived from it', async () => {
  const seen: string[] = [];
  const first = () => void seen.push('first');
  const added = () => void seen.push('added');
  const hooks = { beforeRequest: [first], afterResponse: [first] };
  const gateway = clientOf(scripted(completed).fetch, { hooks });
  const derived = gateway.withOptions({});
  hooks.beforeRequest.push(added);
  hooks.afterResponse[0] = added;
  for (const client of [gateway, derived, gateway.withOptions({})]) {
    await client.chat.completions.create(chat);
    expect(seen.splice(0)).toEqual(['first', 'first']);
  }
});

test('ChatClient has no hooks', () => {
  const options: ChatClientOptions = Object.assign({}, base, { hooks: { beforeRequest: [idle] } });
  const error = thrown(() => new ChatClient(options));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain('hooks');
  expect(thrown(() => new ChatClient(base).withOptions(options))).toBeInstanceOf(
    ConfigurationError,
  );
});
