import { describe, expect, test } from 'vitest';

import {
  answer,
  caught,
  chat,
  clientOf,
  drain,
  eventStream,
  firstEvent,
  image,
  modelList,
  scripted,
  streamed,
  text,
} from '../core/support.ts';
import type { Reply } from '../core/support.ts';
import { apiKey, pathsTo, printed } from './support.ts';

/** Says again what it was told, as proxies and test servers do. */
const header = ({ headers }: { headers: Headers }) => headers.get('authorization') ?? '';
const echoes: Readonly<Record<string, Reply>> = {
  'a refusal that quotes it': (sent) =>
    answer(401, { error: { message: `Incorrect key: ${header(sent)}`, code: header(sent) } })(sent),
  'a refusal in plain text': (sent) => text(403, `No: ${header(sent)}`)(sent),
  'an answer that is the request': (sent) => answer(200, Object.fromEntries(sent.headers))(sent),
  'an answer that is no JSON': (sent) => text(200, `${'.'.repeat(285)}${header(sent)}`)(sent),
  'an error of fetch': (sent) => {
    throw new TypeError(`bad header: ${header(sent)}`, { cause: new Error(header(sent)) });
  },
  'an error object in a stream': (sent) =>
    new Response(`data: {"error":{"message":"${header(sent)}"}}\n\n`, eventStream),
  'an event that is no chunk': (sent) => new Response(`data: "${header(sent)}"\n\n`, eventStream),
  'a stream that breaks': (sent) =>
    streamed(firstEvent, (body) => body.error(new TypeError(header(sent))), eventStream)(sent),
};

describe('an error does not repeat the key that the other side repeats', () => {
  const cases = Object.entries(echoes).flatMap(([name, reply]) =>
    [apiKey, async () => apiKey].map((key) => [name, typeof key, reply, key] as const),
  );

  test.each(cases)('%s, the key a %s', async (_, __, reply, key) => {
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
    expect(sent.map(header)).toEqual(calls.map(() => `Bearer ${apiKey}`));
  });
});

test('the rest of a body is as it was sent, and a word that is a short key stays', async () => {
  const body = { error: { message: 'model test: test failed', code: 'test', more: [1, null] } };
  for (const key of ['test', 'sk-another-key']) {
    const { fetch } = scripted(answer(400, body), modelList);
    const error = await caught(clientOf(fetch, { apiKey: key }).models.list());
    expect(error.body).toEqual(body);
    expect(error.message).toContain('model test: test failed');
  }
});
