import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../src/index.ts';
import { clientOf, scripted, textReply } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';

const bytes = textReply(200, 'frames');

describe('rejects a URL that is not https and public before sending a request', () => {
  const rejected: Readonly<Record<string, readonly string[]>> = {
    'another scheme': [
      'http://files.example/film.mp4',
      'ftp://files.example/film.mp4',
      'file:///etc/passwd',
      'blob:https://files.example/1',
      'javascript:alert(1)',
      'asset://quay',
    ],
    'not an absolute URL': [
      '',
      'film.mp4',
      '/film.mp4',
      'https://',
      'http://[',
      '//files.example/film.mp4',
    ],
    'user info': ['https://user@files.example/', 'https://user:secret@files.example/'],
    loopback: [
      'https://localhost/',
      'https://LOCALHOST/',
      'https://localhost./',
      'https://files.localhost/',
      'https://127.0.0.1/',
      'https://127.255.255.254/',
      'https://[::1]/',
      'https://[0:0:0:0:0:0:0:1]/',
    ],
    'unspecified addresses': ['https://0.0.0.0/', 'https://[::]/', 'https://0/'],
    'private ranges': [
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://172.31.255.255/',
      'https://192.168.1.1/',
      'https://100.64.0.1/',
      'https://[fc00::1]/',
      'https://[fd12:3456::1]/',
    ],
    'link-local ranges': ['https://169.254.169.254/', 'https://[fe80::1]/', 'https://[febf::1]/'],
    'local network names': ['https://printer.local/', 'https://metadata.google.internal/'],
    'obfuscated IPv4 addresses': [
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0x7f.1/',
      'https://017700000001/',
      'https://127.1/',
      'https://0xA9FEA9FE/',
      'https://3232235777/',
      'https://１２７.0.0.1/',
      'https://127。0。0。1/',
    ],
    'IPv4 embedded in IPv6': [
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[::ffff:169.254.169.254]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[::127.0.0.1]/',
      'https://[64:ff9b::a00:1]/',
      'https://[2002:7f00:1::]/',
    ],
  };
  const rows = Object.entries(rejected).flatMap(([why, urls]) =>
    urls.map((url) => [why, url] as const),
  );

  test.each(rows)('%s: %s', async (_, url) => {
    const { fetch, sent } = scripted(bytes);
    const error = await rejection(ConfigurationError, clientOf(fetch).download(url));
    expect(error.message).toMatch(/public https URL/);
    expect(error.message).not.toContain('secret');
    expect(sent).toEqual([]);
  });
});

describe('requests a public URL', () => {
  test.each([
    'https://files.example/film.mp4?signature=a%2Fb',
    'https://files.example:8443/film.mp4',
    'HTTPS://FILES.EXAMPLE/film.mp4',
    'https://172.15.255.255/',
    'https://172.32.0.1/',
    'https://100.63.0.1/',
    'https://100.128.0.1/',
    'https://169.253.0.1/',
    'https://192.169.0.1/',
    'https://11.0.0.1/',
    'https://[2606:4700::1111]/',
    'https://local.example/',
    'https://localhost.example/',
    'https://internal.example/',
  ])('%s', async (url) => {
    const { fetch, sent } = scripted(bytes);
    await (await clientOf(fetch).download(url)).body?.cancel();
    expect(sent).toHaveLength(1);
  });
});

describe('allowInsecureBaseURL', () => {
  test.each(['http://127.0.0.1:8787/media/1.svg', 'http://files.example/', 'https://10.0.0.1/'])(
    'allows %s',
    async (url) => {
      const { fetch, sent } = scripted(bytes);
      const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
      await (await gateway.download(url)).body?.cancel();
      expect(sent.map((request) => request.url)).toEqual([url]);
    },
  );

  test.each(['file:///etc/passwd', 'ftp://files.example/', 'http://user:secret@127.0.0.1/'])(
    'does not allow %s',
    async (url) => {
      const { fetch, sent } = scripted(bytes);
      const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
      await rejection(ConfigurationError, gateway.download(url));
      expect(sent).toEqual([]);
    },
  );
});

test('reads a data URL without a network request', async () => {
  const gateway = clientOf((input, init) => fetch(input, init));
  const response = await gateway.download('data:text/plain;base64,QWhveQ==');
  expect(await response.text()).toBe('Ahoy');
});
