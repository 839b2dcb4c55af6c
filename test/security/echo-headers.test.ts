/** Services that repeat the API key in the headers of a response, as proxies and test servers do. */
import { describe, expect, test } from 'vitest';

import { Polygate } from '../../src/index.ts';
import type { Charge, Telemetry } from '../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  errorReply,
  image,
  jsonReply,
  modelList,
  scripted,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';
import { pathsTo, printed, recordingLogger } from './support.ts';

const keys = {
  'a key of this service': 'sk-canary-51d0c3',
  'a key without a prefix': 'a1b2c3d4-canary-e5f6',
  'a key that URLs and JSON escape': 'canary/51d0+c3=="%q\\z$&',
};

/** How a service may repeat a key. */
const forms: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'after a scheme': (key) => `Bearer ${key}`,
  'in the middle of an id': (key) => `req_${key}_1`,
  'in upper case': (key) => key.toUpperCase(),
  'in a URL': (key) => encodeURIComponent(key),
};

const names = [
  'x-request-id',
  'x-oneapi-request-id',
  'x-dc-task-id',
  'x-dc-wallet',
  'x-dc-readiness-status',
  'x-dc-concurrency-source',
  'x-other',
];

const cases = Object.entries(keys).flatMap(([kind, key]) =>
  Object.entries(forms).map(([form, write]) => [kind, form, key, write(key)] as const),
);

/** Adds the text to all headers of a reply. */
const repeat =
  (text: string, reply: Reply): Reply =>
  async (sent) => {
    const { status, body, headers } = await reply(sent);
    const copy = new Headers(headers);
    for (const name of names) copy.append(name, text);
    return new Response(body, { status, headers: copy });
  };

const isShown = (key: string, text: string) => {
  const lower = text.toLowerCase();
  const shown = JSON.stringify(key).slice(1, -1);
  return [key, encodeURIComponent(key), shown].some((form) => lower.includes(form.toLowerCase()));
};

describe.each(cases)('%s, repeated %s', (_, __, apiKey, text) => {
  test('is not in an error', async () => {
    const { fetch } = scripted(repeat(text, errorReply(400, 'invalid_request')));
    const gateway = clientOf(fetch, { apiKey });
    for (const call of [
      gateway.models.list(),
      gateway.account.balance(),
      gateway.chat.completions.create(chat),
      gateway.images.submit(image),
    ]) {
      const error = await caught(call);
      expect(isShown(apiKey, printed(error))).toBe(false);
      expect(pathsTo(apiKey, error)).toEqual([]);
      expect(error.message).toContain('(the API key)');
    }
  });

  test('is not in the body of an error', async () => {
    const body = { error: { message: `Wrong key: ${text}`, code: text } };
    const inPHP = JSON.stringify(body).replaceAll('/', String.raw`\/`);
    for (const json of [JSON.stringify(body), inPHP]) {
      const { fetch } = scripted(() => new Response(json, { status: 400 }));
      const error = await caught(clientOf(fetch, { apiKey }).models.list());
      expect(isShown(apiKey, printed(error))).toBe(false);
      expect(isShown(apiKey, JSON.stringify(error.body))).toBe(false);
    }
  });

  test('is not in metadata, charges, the log and telemetry', async () => {
    const charges: Charge[] = [];
    const seen: unknown[] = [];
    const { lines, logger } = recordingLogger();
    const telemetry: Telemetry = {
      startSpan: () => ({
        runAttempt: (send) => send(),
        event: (event) => void seen.push(event),
        end: ({ meta, error }) => void seen.push(meta?.(), error),
      }),
    };
    const headers = { 'x-dc-charge-usd': '0.01' };
    const replies: [Reply, Reply] = [
      jsonReply(202, { id: 'task_1', status: 'queued' }, headers),
      modelList,
    ];
    const { fetch } = scripted(repeat(text, replies[0]), repeat(text, replies[1]));
    const gateway = clientOf(fetch, {
      apiKey,
      logger,
      logLevel: 'debug',
      telemetry,
      headerPrefix: 'x-dc-',
      onCharge: (charge) => void charges.push(charge),
    });
    const task = await gateway.images.submit(image);
    const { meta } = await gateway.models.list().withResponse();
    expect(charges).toHaveLength(1);
    for (const value of [task.meta, task.toJSON(), meta, charges, lines, seen]) {
      expect(isShown(apiKey, printed(value))).toBe(false);
      expect(pathsTo(apiKey, value)).toEqual([]);
    }
    expect(meta.requestId).toContain('(the API key)');
    expect(meta.headers.get('x-other')).toContain('(the API key)');
  });
});

test('a key of another header, and of a hook, is not in an error', async () => {
  const apiKey = 'sk-canary-51d0c3';
  const other = 'canary-of-a-hook';
  const { fetch } = scripted(repeat(`${apiKey} ${other}`, errorReply(400)));
  const setKey = ({ request }: { request: Request }) =>
    request.headers.set('x-goog-api-key', other);
  const hooks = { beforeRequest: [setKey] };
  const error = await caught(clientOf(fetch, { apiKey, hooks }).models.list());
  expect(printed(error)).not.toContain(apiKey);
  expect(printed(error)).not.toContain(other);
});

test('the response itself is as it was received', async () => {
  const apiKey = 'sk-canary-51d0c3';
  const { fetch } = scripted(repeat(apiKey, modelList));
  const gateway = clientOf(fetch, { apiKey });
  const raw = await gateway.models.list().asResponse();
  expect(raw.headers.get('x-request-id')).toContain(apiKey);
  const { response } = await gateway.models.list().withResponse();
  expect(response.headers.get('x-request-id')).toContain(apiKey);
  const fetched = await gateway.fetch('/v1/models');
  expect(fetched.headers.get('x-request-id')).toContain(apiKey);
});

test('headers without a key are those of the response', async () => {
  const { fetch } = scripted(modelList);
  const gateway = new Polygate({ apiKey: 'sk-canary-51d0c3', baseURL: 'https://a.example', fetch });
  const { meta, response } = await gateway.models.list().withResponse();
  expect(meta.headers).toBe(response.headers);
});
