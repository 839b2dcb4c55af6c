import { describe, expect, test } from 'vitest';

import {
  jsonReply,
  caught,
  chat,
  clientOf,
  drain,
  eventStream,
  firstEvent,
  image,
  modelList,
  scripted,
  streamReply,
  textReply,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';
import { apiKey, pathsTo, printed } from './support.ts';

/** Servers that repeat the credentials of the request, as proxies and test servers do. */
const authorizationOf = ({ headers }: { headers: Headers }) => headers.get('authorization') ?? '';
const echoes: Readonly<Record<string, Reply>> = {
  'a 401 that quotes it': (sent) =>
    jsonReply(401, {
      error: { message: `Incorrect key: ${authorizationOf(sent)}`, code: authorizationOf(sent) },
    })(sent),
  'a plain text 403': (sent) => textReply(403, `No: ${authorizationOf(sent)}`)(sent),
  'a response that repeats the request headers': (sent) =>
    jsonReply(200, Object.fromEntries(sent.headers))(sent),
  'a response that is not JSON': (sent) =>
    textReply(200, `${'.'.repeat(285)}${authorizationOf(sent)}`)(sent),
  'an error of fetch': (sent) => {
    throw new TypeError(`bad header: ${authorizationOf(sent)}`, {
      cause: new Error(authorizationOf(sent)),
    });
  },
  'an error object in a stream': (sent) =>
    new Response(`data: {"error":{"message":"${authorizationOf(sent)}"}}\n\n`, eventStream),
  'an event that is not a chunk': (sent) =>
    new Response(`data: "${authorizationOf(sent)}"\n\n`, eventStream),
  'a stream that fails': (sent) =>
    streamReply(
      firstEvent,
      (body) => body.error(new TypeError(authorizationOf(sent))),
      eventStream,
    )(sent),
};

describe('an error does not contain a key that the server repeats', () => {
  const cases = Object.entries(echoes).flatMap(([name, reply]) =>
    [apiKey, async () => apiKey].map((key) => [name, typeof key, reply, key] as const),
  );

  test.each(cases)('%s, with the key as a %s', async (_, __, reply, key) => {
    const { fetch, sent } = scripted(reply);
    const gateway = clientOf(fetch, { apiKey: key, maxRetries: 0 });
    const calls = [
      () => gateway.models.list(),
      () => gateway.images.submit(image),
      () => drain(gateway.chat.completions.stream(chat)),
    ];
    for (const call of calls) {
      const error = await caught(call());
      expect(printed(error)).not.toContain(apiKey.slice(0, 12));
      expect(pathsTo(apiKey, error)).toEqual([]);
    }
    expect(sent.map(authorizationOf)).toEqual(calls.map(() => `Bearer ${apiKey}`));
  });
});

test('the rest of the body is unchanged, and a word that equals a short key is kept', async () => {
  const body = { error: { message: 'model test: test failed', code: 'test', more: [1, null] } };
  for (const key of ['test', 'sk-another-key']) {
    const { fetch } = scripted(jsonReply(400, body), modelList);
    const error = await caught(clientOf(fetch, { apiKey: key }).models.list());
    expect(error.body).toEqual(body);
    expect(error.message).toContain('model test: test failed');
  }
});
