import { inspect } from 'node:util';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { AuthenticationError, ConfigurationError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import {
  jsonReply,
  baseURL,
  caught,
  chat,
  clientOf,
  image,
  modelList,
  onMock,
  scripted,
  thrown,
} from '../support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const status = jsonReply(200, {
  object: 'service.status',
  overallStatus: 'ok',
  title: '',
  summary: '',
});
const invalidValues = [
  ['a line feed', 'sk-canary\nrest'],
  ['a carriage return', 'sk-canary\rrest'],
  ['an additional header', 'sk-canary\r\nx-admin: 1'],
  ['a zero byte', 'sk-canary\u0000'],
  ['Cyrillic letters', 'sk-canary-ключ'],
  ['an emoji', 'sk-canary-🔑'],
] as const;

describe('a value with characters that are invalid in headers', () => {
  test.each(invalidValues)('is rejected as a key, and not quoted: %s', (_, apiKey) => {
    const error = thrown(() => new Polygate({ apiKey, baseURL }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('apiKey');
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain('canary');
  });

  test.each(invalidValues)('is rejected as a key from a function: %s', async (_, apiKey) => {
    const { fetch, sent } = scripted(modelList);
    const error = await caught(clientOf(fetch, { apiKey: () => apiKey }).models.list());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain('canary');
    expect(sent).toHaveLength(0);
  });

  test.each(invalidValues)('is rejected as the value of a header: %s', async (_, value) => {
    const { fetch, sent } = scripted(modelList);
    const error = await caught(clientOf(fetch).models.list({}, { headers: { 'x-note': value } }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('x-note');
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain('canary');
    expect(sent).toHaveLength(0);
  });
});

test('a key with Latin-1 characters can be sent', async () => {
  const { fetch, sent } = scripted(modelList);
  await clientOf(fetch, { apiKey: 'sk-clé' }).models.list();
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-clé');
});

describe('without a key', () => {
  const keyless = () => {
    vi.stubEnv('POLYGATE_API_KEY', '');
    const { fetch, sent } = scripted(status);
    return { sent, gateway: new Polygate({ baseURL, fetch }) };
  };

  test.each([
    ['models.list', (gateway: Polygate) => gateway.models.list()],
    ['account.balance', (gateway: Polygate) => gateway.account.balance()],
    ['images.submit', (gateway: Polygate) => gateway.images.submit(image)],
    ['images.generate', (gateway: Polygate) => gateway.images.generate(image)],
    ['images.retrieve', (gateway: Polygate) => gateway.images.retrieve('task_1')],
    ['chat', (gateway: Polygate) => gateway.chat.completions.create(chat)],
    ['a chat stream', (gateway: Polygate) => gateway.chat.completions.stream(chat).final()],
    ['request', (gateway: Polygate) => gateway.request({ method: 'GET', path: '/v1/models' })],
  ])('%s rejects its promise before a request is sent', async (_, call) => {
    const { gateway, sent } = keyless();
    const error = await caught(call(gateway));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/apiKey.*POLYGATE_API_KEY/);
    expect(sent).toHaveLength(0);
  });

  test('public endpoints work', async () => {
    const { gateway, sent } = keyless();
    expect(await gateway.public.status()).toMatchObject({ overallStatus: 'ok' });
    expect(sent).toHaveLength(1);
  });
});

describe('a key function', () => {
  test('is called for every request', async () => {
    const { fetch, sent } = scripted(modelList);
    let count = 0;
    const gateway = clientOf(fetch, { apiKey: async () => `sk-${(count += 1)}` });
    await gateway.models.list();
    await gateway.models.list();
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer sk-1',
      'Bearer sk-2',
    ]);
  });

  test('is called once if the service rejects the key, and the error is thrown', async () => {
    const { fetch } = scripted(
      jsonReply(401, { error: { message: 'no', code: 'invalid_api_key' } }),
    );
    const apiKey = vi.fn<() => string>(() => 'sk-old');
    const error = await caught(clientOf(fetch, { apiKey }).models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(apiKey).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['throws', () => thrownBy('vault closed')],
    ['rejects', () => Promise.reject(new Error('vault closed'))],
  ])('that %s leads to a ConfigurationError with its cause', async (_, apiKey) => {
    const { fetch, sent } = scripted(modelList);
    const error = await caught(clientOf(fetch, { apiKey }).models.list());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('apiKey');
    expect(error.cause).toEqual(new Error('vault closed'));
    expect(sent).toHaveLength(0);
  });

  test.each([undefined, null, '', 42])(
    'that returns %j leads to a ConfigurationError',
    async (value) => {
      const { fetch, sent } = scripted(modelList);
      const apiKey = (() => value) as () => string;
      const error = await caught(clientOf(fetch, { apiKey }).models.list());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain('apiKey');
      expect(sent).toHaveLength(0);
    },
  );

  test('is not called for public endpoints', async () => {
    const apiKey = vi.fn<() => string>(() => 'sk-test');
    await clientOf(scripted(status).fetch, { apiKey }).public.status();
    expect(apiKey).not.toHaveBeenCalled();
  });
});

describe('request headers', () => {
  const headersOf = async (
    options: PolygateOptions,
    call: (gateway: Polygate) => PromiseLike<unknown>,
    reply = modelList,
  ) => {
    const { fetch, sent } = scripted(reply);
    await call(clientOf(fetch, options));
    return sent[0]?.headers ?? new Headers();
  };

  test('apiKey: null sends no credentials, even if the environment has a key', async () => {
    vi.stubEnv('POLYGATE_API_KEY', 'sk-from-env');
    for (const style of [undefined, 'anthropic', 'gemini'] as const) {
      const headers = await headersOf(
        { apiKey: null },
        (gateway) => (style === undefined ? gateway.models.list() : gateway.models.list({ style })),
        jsonReply(200, { object: 'list', data: [], models: [] }),
      );
      expect(inspect([...headers])).not.toContain('sk-from-env');
      expect(headers.get('authorization')).toBeNull();
    }
  });

  test.each([
    ['the key', {}],
    ['a header of the client', { headers: { authorization: 'Bearer sk-test', cookie: 'sk-test' } }],
  ])('public endpoints never receive %s', async (_, options) => {
    const headers = await headersOf(options, (gateway) => gateway.public.status(), status);
    expect(inspect([...headers])).not.toContain('sk-test');
  });

  test('headers of the client and of the call are merged, and the latter take precedence', async () => {
    const headers = await headersOf(
      { headers: { 'X-Team': 'client', 'x-app': 'demo' } },
      (gateway) => gateway.models.list({}, { headers: { 'x-team': 'call', 'x-skip': undefined } }),
    );
    expect(headers.get('x-team')).toBe('call');
    expect(headers.get('x-app')).toBe('demo');
    expect(headers.has('x-skip')).toBe(false);
  });

  test('null removes a default header', async () => {
    expect((await headersOf({}, (gateway) => gateway.models.list())).get('accept')).not.toBeNull();
    const headers = await headersOf({ headers: { Accept: null } }, (gateway) =>
      gateway.models.list(),
    );
    expect(headers.get('accept')).toBeNull();
  });

  test("null in a call removes the client's header", async () => {
    const headers = await headersOf({ headers: { 'x-team': 'client' } }, (gateway) =>
      gateway.models.list({}, { headers: { 'X-Team': null } }),
    );
    expect(headers.has('x-team')).toBe(false);
  });

  test.each(['authorization', 'Authorization'])(
    '%s: null does not remove the API key',
    async (name) => {
      const byCall = await headersOf({}, (gateway) =>
        gateway.models.list({}, { headers: { [name]: null } }),
      );
      expect(byCall.get('authorization')).toBe('Bearer sk-test');
      const byClient = await headersOf({ headers: { [name]: null } }, (gateway) =>
        gateway.models.list(),
      );
      expect(byClient.get('authorization')).toBe('Bearer sk-test');
    },
  );

  test("authorization: null of a call does not remove the client's own header", async () => {
    const headers = await headersOf(
      { apiKey: null, headers: { authorization: 'Bearer proxy' } },
      (gateway) => gateway.models.list({}, { headers: { authorization: null } }),
    );
    expect(headers.get('authorization')).toBe('Bearer proxy');
  });

  test('the gateway accepts the key of the client', async () => {
    const { gateway, mock } = onMock();
    await gateway.models.list();
    expect(mock.requests[0]?.headers.authorization).toBe(`Bearer ${mock.apiKey}`);
  });
});

function thrownBy(message: string): never {
  throw new Error(message);
}

test('a key function that fails before a retry leads to the outcome unknown, with the idempotency key', async () => {
  const keys = ['sk-mock-demo'];
  const { mock, gateway } = onMock(
    { keys: [{ key: 'sk-mock-demo' }] },
    {
      apiKey: () => {
        const key = keys.pop();
        if (key === undefined) throw new Error('the vault is shut');
        return key;
      },
    },
  );
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
  const call = caught(gateway.images.submit(image, { idempotencyKey: 'row-1' }));
  const error = await mock.clock.settle(call);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'row-1' });
  expect(mock.invoice).toHaveLength(1);
});
