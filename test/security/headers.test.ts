import { describe, expect, test } from 'vitest';

import { fingerprint } from '../../src/client/batch/journal-line.ts';
import { ConfigurationError } from '../../src/index.ts';
import type { Polygate, PolygateOptions, RequestOptions } from '../../src/index.ts';
import { chat, clientOf, completed, image, scripted, submitted } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';
import { memoryJournal, printed } from './support.ts';

const invalidValues = {
  'a line feed': 'canary\nx-admin: 1',
  'a carriage return': 'canary\rx',
  'both, and another header': 'canary\r\nx-admin: 1',
  'a trailing line feed': 'canary\n',
  'a zero byte': 'canary\u0000',
  'an escape': 'canary\u001b[2J',
  'a delete character': 'canary\u007f',
  'Cyrillic letters': 'canary-ключ',
  'an emoji': 'canary-🔑',
  'a lone surrogate': 'canary\ud83d',
  'a line separator': 'canary\u2028',
  'a full-width line feed': 'canary\uff0a\u010a',
};

type Send = (value: string, gateway: (options: PolygateOptions) => Polygate) => unknown;
const byCall = (optionsOf: (value: string) => RequestOptions): Send => {
  return (value, gateway) => gateway({}).images.submit(image, optionsOf(value));
};

/** Every way in which a caller's value reaches a header. */
const sources: Readonly<Record<string, Send>> = {
  apiKey: (apiKey, gateway) => gateway({ apiKey }).images.submit(image),
  'apiKey from a function': (key, gateway) => gateway({ apiKey: () => key }).images.submit(image),
  'apiKey in another style': (key, gateway) =>
    gateway({ apiKey: async () => key }).models.list({ style: 'gemini' }),
  'headers of the client': (value, gateway) =>
    gateway({ headers: { 'x-team': value } }).images.submit(image),
  'headers of the client, authorization': (value, gateway) =>
    gateway({ headers: { authorization: value } }).images.submit(image),
  'headers in withOptions': (value, gateway) =>
    gateway({})
      .withOptions({ headers: { 'x-team': value } })
      .images.submit(image),
  'headers of a call': byCall((value) => ({ headers: { 'x-team': value } })),
  'headers of a chat stream': (value, gateway) =>
    gateway({})
      .chat.completions.stream(chat, { headers: { 'x-team': value } })
      .final(),
  requestId: byCall((requestId) => ({ requestId })),
  idempotencyKey: byCall((idempotencyKey) => ({ idempotencyKey })),
  'idempotencyKey of a material': (idempotencyKey, gateway) =>
    gateway({}).materials.create({ url: 'https://a.example/', type: 'image' }, { idempotencyKey }),
  'idempotencyKey of request()': (idempotencyKey, gateway) =>
    gateway({}).request({ method: 'POST', path: '/v1/x' }, { idempotencyKey }),
  'idempotencyKey of a row': async (idempotencyKey, gateway) => {
    const client = gateway({});
    const describeRow = () => client.images.submission(image, { idempotencyKey });
    for await (const { error } of client.batch([1], describeRow)) throw error;
  },
  'idempotencyKey in a journal': async (key, gateway) => {
    const path = '/v1/images/tasks';
    const hash = await fingerprint(path, JSON.stringify(image));
    const submit = { v: 1, type: 'submit', id: '0', key, path, hash, params: image };
    const lines = [JSON.stringify({ v: 1, type: 'run', run: 'r' }), JSON.stringify(submit)];
    for await (const { error } of gateway({}).recover(memoryJournal(lines))) throw error;
  },
  'a header name': byCall((value) => ({ headers: { [value]: 'x' } })),
  requestIdHeader: (requestIdHeader, gateway) =>
    gateway({ requestIdHeader }).images.submit(image, { requestId: 'x' }),
};

describe.each(Object.entries(sources))('%s', (source, send) => {
  test.each(Object.entries(invalidValues))(
    'with %s is rejected, not quoted and not sent',
    async (_, value) => {
      const { fetch, sent } = scripted(submitted);
      const call = async () => send(value, (options) => clientOf(fetch, options));
      const error = await rejection(ConfigurationError, call());
      const text = printed(error);
      if (source !== 'a header name') expect(text).not.toContain('canary');
      expect(sent).toEqual([]);
    },
  );
});

test('header names that match prototype properties do no harm', async () => {
  const { fetch, sent } = scripted(completed);
  const headers = JSON.parse('{"__proto__":"p","constructor":"c","hasOwnProperty":"h"}') as Record<
    string,
    string
  >;
  const gateway = clientOf(fetch, { headers });
  await gateway.chat.completions.create(chat, { headers: { ...headers, 'x-last': 'l' } });
  expect(sent[0]?.headers.get('constructor')).toBe('c');
  expect(sent[0]?.headers.get('x-last')).toBe('l');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-test');
});
