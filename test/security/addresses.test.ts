import { afterEach, describe, expect, test, vi } from 'vitest';

import { ConfigurationError, Polygate } from '../../src/index.ts';
import type { Generation } from '../../src/index.ts';
import { clientOf, modelList, scripted, textReply, thrown } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';
import { apiKey } from './support.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const bytes = textReply(200, 'frames');
/** Hosts that look public but are not, in addition to those in the download tests. */
const internalHosts = [
  ['a host name without a dot', 'printer', 'metadata', 'kubernetes', 'xn--ls8h'],
  ['a local network name', 'router.lan', 'nas.home', 'nas.home.arpa', 'wiki.corp', 'a.intranet'],
  [
    'a local name with trailing dots',
    'localhost..',
    'a.local.',
    'db.internal..',
    'LocalHost.LocalDomain',
  ],
  [
    'a name that encodes an address',
    '127.0.0.1.resolver.example',
    '10.0.0.1.r.example',
    '169.254.169.254.r.example',
  ],
  ['an address with trailing dots', '127.0.0.1.', '0177.0.0.1.', '10.0.0.1..'],
  [
    'a number',
    '0x7f000001.',
    '0300.0250.1.1',
    '0xa9fea9fe',
    '2852039166',
    '192.168.257',
    '0x0',
    '00',
  ],
  ['an address in other digits', '１２７.1', '⑯⑨.254.169.254', '127%2e0%2e0%2e1', '%31%32%37.1'],
  ['site-local IPv6', '[fec0::1]', '[feff::1]'],
  [
    'IPv4 in IPv6',
    '[::ffff:0:10.0.0.1]',
    '[2001::a00:1]',
    '[2001:0:a00:1::]',
    '[64:ff9b:1::a00:1]',
    '[::a9fe:a9fe]',
  ],
  ['multicast and reserved', '[ff02::1]', '224.0.0.1', '255.255.255.255', '240.0.0.1', '[::]'],
].flatMap(([why = '', ...hosts]) => hosts.map((host) => [why, host] as const));

describe('a download never connects to a host that may be internal', () => {
  test.each(internalHosts)('%s: %s', async (_, host) => {
    const { fetch, sent } = scripted(bytes);
    const url = `https://${host}/film.mp4`;
    await rejection(ConfigurationError, clientOf(fetch).download(url));
    expect(sent).toEqual([]);
  });

  // Header values are ASCII.
  const redirectTargets = internalHosts.filter(([, host]) => !/[^ -~]/.test(host));
  test.each(redirectTargets)('%s: %s, as the target of a redirect', async (_, host) => {
    const location = `https://${host}/film.mp4`;
    for (const status of [301, 302, 303, 307, 308]) {
      const redirect = () => new Response(null, { status, headers: { location } });
      const { fetch, sent } = scripted(redirect, bytes);
      await rejection(
        ConfigurationError,
        clientOf(fetch).download('https://files.example/film.mp4'),
      );
      expect(sent).toHaveLength(1);
    }
  });

  test('even after its URL was renewed, and never carries credentials', async () => {
    const raw = {} as Generation['raw'];
    const urls: [string] = ['https://files.example/old'];
    const done = { id: 't', kind: 'video', status: 'succeeded', rawStatus: '', urls, raw } as const;
    const fresh = textReply(
      200,
      '{"id":"t","status":"completed","video_url":"https://10.0.0.1/film"}',
    );
    const { fetch, sent } = scripted(textReply(410, ''), fresh, bytes);
    const headers = { cookie: apiKey, 'x-api-key': apiKey, 'proxy-authorization': apiKey };
    const gateway = clientOf(fetch, { apiKey, headers });
    await rejection(ConfigurationError, gateway.download(done));
    expect(
      sent.map(({ headers: received }) => [...received.values()].join().includes(apiKey)),
    ).toEqual([false, true]);
  });
});

test.each([
  '10.example',
  '127.files.example',
  '192.168.example',
  '1.1.1.1.files.example',
  'home.example',
  'lan.example',
  'mylocal.example',
  'xn--ls8h.example',
  '[2001:4860:4860::8888]',
])('a download from %s is allowed, because the host is public', async (host) => {
  const { fetch, sent } = scripted(bytes);
  await (await clientOf(fetch).download(`https://${host}/film.mp4`)).body?.cancel();
  expect(sent).toHaveLength(1);
});

describe('a base URL is unambiguous', () => {
  const rejected = [
    'https://good.example@evil.example',
    'https://good.example%40@evil.example',
    'http://localhost@evil.example',
    'http://evil.example\\@localhost',
    'http://evil.example#@localhost',
    'http://evil.example?.localhost',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost..evil.example',
    'http://[::ffff:8.8.8.8]',
    'http://0x08080808',
    'ws://localhost',
    'https://host.example?',
    'https://host.example#',
    'blob:https://host.example/1',
    `https://host.example/#${'a'.repeat(100_000)}`,
  ];

  test.each(rejected.map((url) => [url.slice(0, 40), url]))('%s is rejected', (_, url) => {
    const { fetch, sent } = scripted(modelList);
    const error = thrown(() => new Polygate({ apiKey, baseURL: url, fetch }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).not.toContain('evil');
    expect(error.message.length).toBeLessThan(200);
    expect(sent).toEqual([]);
  });

  test.each([
    ['https://host.example/%2e%2e/%2E./a', 'https://host.example/a'],
    ['https://host.example/a/../b', 'https://host.example/b'],
    ['https:\\\\host.example\\a', 'https://host.example/a'],
    ['https://host.example/v1/v1', 'https://host.example/v1'],
    ['https://host.example////', 'https://host.example'],
    ['https://host.example//v1//', 'https://host.example/'],
    ['http://127.1', 'http://127.0.0.1'],
    ['https://HÖST.example', 'https://xn--hst-sna.example'],
  ])('%s resolves to %s', async (baseURL, expected) => {
    const { fetch, sent } = scripted(modelList);
    await new Polygate({ apiKey, baseURL, fetch }).models.list();
    expect(sent[0]?.url).toBe(`${expected}/v1/models`);
  });
});
