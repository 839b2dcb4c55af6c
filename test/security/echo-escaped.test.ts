/** Services that repeat the API key with escaped characters, of an earlier attempt, or in the record of a task. */
import { expect, test } from 'vitest';

import { redactKeys } from '../../src/wire/types/redact-key.ts';
import {
  caught,
  chat,
  clientOf,
  errorReply,
  image,
  jsonReply,
  onMock,
  scripted,
} from '../client/support.ts';
import { pathsTo, printed } from './support.ts';

const apiKey = 'canary/51d0+c3==';

/** The key as writers of JSON, URLs and HTML escape it: each escapes other characters. */
const escaped = {
  'JSON of .NET': String.raw`canary/51d0\u002Bc3==`,
  'JSON of Gson': String.raw`canary/51d0+c3\u003d\u003d`,
  'JSON of PHP': String.raw`canary\/51d0+c3==`,
  'a URL in which only the plus is escaped': 'canary/51d0%2bc3==',
  HTML: 'canary&#x2F;51d0&#43;c3==',
};

test.each(Object.entries(escaped))('%s: the key is not in an error', async (_, text) => {
  const body = `{"error":{"message":"Wrong key: ${text}","code":"${text}"}}`;
  const event = `data: {"choices":[{"index":0,"delta":{"content":"A"}}]}\n\ndata: ${body}\n\n`;
  const { fetch } = scripted(
    () => new Response(body, { status: 400 }),
    () => new Response(event, { headers: { 'content-type': 'text/event-stream' } }),
  );
  const gateway = clientOf(fetch, { apiKey });
  for (const call of [gateway.models.list(), gateway.chat.completions.stream(chat).final()]) {
    const error = await caught(call);
    for (const form of [apiKey, text]) {
      expect(printed(error)).not.toContain(form);
      expect(pathsTo(form, error)).toEqual([]);
    }
    expect(error.message).toContain('Wrong key: (the API key)');
  }
});

test('the key of an earlier attempt is not in the error of a later one', async () => {
  const { mock } = onMock();
  const { fetch } = scripted(errorReply(503), (sent) => {
    expect(sent.headers.get('authorization')).toBe('Bearer canary-key-2');
    const message = 'Use canary-key-2 in place of canary-key-1';
    return Response.json({ error: { message } }, { status: 401 });
  });
  let calls = 0;
  const gateway = clientOf(fetch, { apiKey: () => `canary-key-${++calls}`, clock: mock.clock });
  const error = await mock.clock.settle(caught(gateway.models.list()));
  expect(error.message).toContain('Use (the API key) in place of (the API key)');
});

test.each(['Api-Key', 'Token', 'bearer'])(
  'the key after the scheme %s, which the caller has set, is not in an error',
  async (scheme) => {
    const authorization = `${scheme} ${apiKey}`;
    const message = `Wrong key: ${apiKey}`;
    const { fetch } = scripted(() => Response.json({ error: { message } }, { status: 401 }));
    const gateway = clientOf(fetch, { headers: { authorization } });
    const error = await caught(gateway.models.list());
    expect(error.message).toContain('Wrong key: (the API key)');
  },
);

test('the key is not in the error of a failed task', async () => {
  const { mock } = onMock();
  const error = { message: `Upstream rejected ${apiKey}`, code: apiKey };
  const { fetch } = scripted(
    jsonReply(202, { id: 'task_1', status: 'queued' }),
    jsonReply(200, { id: 'task_1', status: 'failed', error }),
  );
  const gateway = clientOf(fetch, { apiKey, clock: mock.clock });
  const task = await gateway.images.submit(image);
  const failed = await mock.clock.settle(caught(task.wait()));
  expect(failed.message).toContain('Task task_1 failed: Upstream rejected (the API key).');
  expect(printed(failed)).not.toContain(apiKey);
  const state = await task.retrieve();
  expect(state.error).toEqual({
    message: 'Upstream rejected (the API key)',
    code: '(the API key)',
  });
});

test('metadata keeps all cookies if one of them contains the key', async () => {
  const cookies = (value: string) => [`a=${value}`, 'b=2'];
  const headers = new Headers();
  for (const cookie of cookies(apiKey)) headers.append('set-cookie', cookie);
  const { fetch } = scripted(() => Response.json({ object: 'list', data: [] }, { headers }));
  const { meta } = await clientOf(fetch, { apiKey }).models.list().withResponse();
  expect(meta.headers.getSetCookie()).toEqual(cookies('(the API key)'));
});

test.each(['%%%%++++====////'.repeat(8), 'a'.repeat(120)])(
  'a text that repeats parts of the key takes linear time',
  (key) => {
    const time = (count: number) => {
      const text = (key.slice(1) + '\\%&#').repeat(count);
      const start = performance.now();
      expect(redactKeys(text, [`${key}z`], '')).toBe(text);
      return performance.now() - start;
    };
    time(1_000);
    expect(time(40_000)).toBeLessThan(40 * (time(4_000) + 20));
  },
);
