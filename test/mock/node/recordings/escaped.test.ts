import { rm } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../../src/index.ts';
import { recordings } from '../../../../src/mock/node/index.ts';
import { startRecording } from './support.ts';

const key = 'sk-odd/4f1d9~b7a2c+x=';
const escapedKey = key.replace('/', String.raw`\/`);
const pieces = key.match(/.{1,3}/g) ?? [];

/** The places of a tape in which a secret can be written in another way. */
const contents = (tape: string): string => {
  const unescaped = tape.replaceAll('\\', '');
  const inBase64 = [...tape.matchAll(/base64:([^"]+)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  return [unescaped, decodeURIComponent(tape.replaceAll('+', ' ')), ...inBase64].join('\n');
};

const redact = (text: string) => text.replaceAll('Jürgen Lee', 'someone');

interface Exchange {
  url?: string;
  init?: () => RequestInit;
  response?: () => Response;
}

/** Records requests, and returns the tape, and the bodies while recording and in the replay. */
async function recorded(exchanges: readonly Exchange[]) {
  const { path, readTape } = await startRecording();
  const send = async (fetch: typeof globalThis.fetch) => {
    const bodies: Buffer[] = [];
    for (const { url = 'https://host.example/v1/models', init } of exchanges) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(url, { method: 'POST', headers, ...init?.() });
      bodies.push(Buffer.from(await response.arrayBuffer()));
    }
    return bodies;
  };
  const responses = exchanges.map(({ response = () => Response.json({}) }) => response());
  const tape = recordings(path, {
    mode: 'record',
    redact,
    fetch: async () => responses.shift() ?? Response.error(),
  });
  const original = await send(tape.fetch);
  await tape.save();
  const replayed = await send(recordings(path, { mode: 'replay', redact }).fetch);
  return { tape: contents(await readTape()), original, replayed };
}

const text =
  (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  () =>
    new Response(body, { headers: type === '' ? {} : { 'content-type': type } });

const stream = (...events: string[]) =>
  text(events.map((event) => `${event}\n\n`).join(''), 'text/event-stream');

const fileForm = () => {
  const form = new FormData();
  form.set('prompt', `Draw Jürgen Lee, ${key}, https://a.example/x?sig=s3cr3t`);
  form.set('file', new Blob([Uint8Array.of(0, 255, 128)]), 'a.bin');
  return { body: form };
};

describe('no secret reaches the tape', () => {
  test.each<[string, Exchange]>([
    [
      'in JSON with escaped slashes and numbers of too many digits',
      {
        response: text(
          String.raw`{"id":12345678901234567890,"images":["https:\/\/files.example\/b.png"],"k":"${escapedKey}"}`,
        ),
      },
    ],
    [
      'in a link with escaped ampersands',
      {
        response: text(
          String.raw`{"id":12345678901234567890,"note":"https://a.example/b?a=1\u0026sig=s3cr3t"}`,
        ),
      },
    ],
    [
      'in a request with escaped slashes',
      { init: () => ({ body: `{"seed":12345678901234567890,"prompt":"${escapedKey}"}` }) },
    ],
    [
      'in several lines of JSON',
      {
        response: text(
          String.raw`{"url":"https:\/\/files.example/1"}${'\n'}{"k":"${escapedKey}"}`,
          'application/x-ndjson',
        ),
      },
    ],
    [
      'in events with names',
      { response: stream('event: done\ndata: {"images":["https://files.example/b.png"]}') },
    ],
    [
      'in pieces of events with names',
      { response: stream(...pieces.map((each) => `event: text\ndata: {"text":"${each}"}`)) },
    ],
    [
      'in pieces of one of several choices',
      {
        response: stream(
          ...pieces.flatMap((each) => [
            `data: {"choices":[{"index":0,"delta":{"content":"${each}"}}]}`,
            'data: {"choices":[{"index":1,"delta":{"content":"x"}}]}',
          ]),
        ),
      },
    ],
    ['in a path relative to the host', { response: text('{"next":"/f/a.png?token=s3cr3t"}') }],
    ['in a link in capitals', { response: text('{"note":"HTTPS://a.example/b?sig=s3cr3t"}') }],
    [
      'in a link with parentheses',
      { response: text('{"note":"see https://a.example/b(1).png?sig=s3cr3t now"}') },
    ],
    [
      'in the values of a query',
      { url: `https://host.example/v1?q=J%C3%BCrgen+Lee&k=${encodeURIComponent(key)}` },
    ],
    ['in a path', { url: 'https://host.example/v1/J%C3%BCrgen%20Lee' }],
    [
      'in a form without files',
      { init: () => ({ body: new URLSearchParams({ a: 'Jürgen Lee' }) }) },
    ],
    ['in a form with files', { init: fileForm }],
    [
      'in a text that is served as a file',
      { response: text(`hello ${key}`, 'application/octet-stream') },
    ],
    [
      'in a file',
      {
        response: text(
          new Uint8Array([255, ...Buffer.from(`{"url":"${key}"}`)]),
          'application/octet-stream',
        ),
      },
    ],
  ])('%s', async (_, exchange) => {
    const { tape, replayed } = await recorded([exchange]);
    expect(tape).not.toMatch(/sk-\W{0,3}o|odd\W{0,3}4f1d|s3cr3t|files\.example|Jürgen/);
    expect(replayed.join('')).not.toContain('odd/4f1d');
    for (const piece of pieces.slice(1, 5)) expect(tape).not.toContain(`"${piece}"`);
  });

  test('in a redirect to a path with a signature', async () => {
    const headers = { location: '/f/a.png?X-Amz-Signature=s3cr3t' };
    const { tape } = await recorded([
      { response: () => new Response(null, { status: 302, headers }) },
      { url: 'https://host.example/f/a.png?X-Amz-Signature=s3cr3t' },
    ]);
    expect(tape).not.toContain('s3cr3t');
  });

  test('in a result that is cut off', async () => {
    const { path, readTape } = await startRecording();
    const start = new TextEncoder().encode(
      '{"status":"succeeded","images":["https://files.example/b.p',
    );
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(start),
      pull: (controller) => controller.error(new TypeError('terminated')),
    });
    const headers = { 'content-type': 'application/json' };
    const tape = recordings(path, {
      mode: 'record',
      fetch: async () => new Response(body, { headers }),
    });
    const response = await tape.fetch('https://host.example/v1/videos/1');
    await expect(response.text()).rejects.toThrow('terminated');
    await tape.save();
    expect(await readTape()).not.toContain('files.example');
    expect(await readTape()).toContain('succeeded');
  });
});

test.each([
  ['without a type', Uint8Array.of(137, 80, 78, 71, 255, 254, 0), ''],
  ['in Latin-1', new Uint8Array(Buffer.from('café', 'latin1')), 'text/plain; charset=latin1'],
])('a file %s is replayed byte by byte', async (_, bytes, type) => {
  const { original, replayed } = await recorded([{ response: text(bytes, type) }]);
  expect(replayed).toEqual(original);
});

test('a signed link in a request is found again, whatever its signature and the links of results', async () => {
  const { path } = await startRecording();
  const send = async (fetch: typeof globalThis.fetch, signature: string) => {
    const image = `https://mine.example/x.png?X-Amz-Signature=${signature}`;
    for (const body of [{ prompt: 'A harbor' }, { image }]) {
      const init = { method: 'POST', body: JSON.stringify(body) };
      await (await fetch('https://host.example/v1/images', init)).json();
    }
  };
  const fetch = async () => Response.json({ images: ['https://files.example/1.png'] });
  const tape = recordings(path, { mode: 'record', fetch });
  await send(tape.fetch, 'one');
  await tape.save();
  const replay = recordings(path, { mode: 'replay' });
  await send(replay.fetch, 'two');
  expect(replay.unused).toEqual([]);
});

test('a request to another host than the gateway is found again', async () => {
  const { original, replayed } = await recorded([
    {},
    { url: 'https://other.example/a?b=1', response: () => Response.json({ from: 'other' }) },
  ]);
  expect(replayed).toEqual(original);
});

test('a body that can be read only once is sent and recorded', async () => {
  const { path, readTape } = await startRecording();
  const sent: string[] = [];
  const tape = recordings(path, {
    mode: 'record',
    fetch: async (input, init) => {
      sent.push(await new Request(input, init).text());
      return Response.json({});
    },
  });
  async function* body() {
    yield Buffer.from('in ');
    yield Buffer.from('pieces');
  }
  const init = { method: 'POST', body: body(), duplex: 'half' };
  await (await tape.fetch('https://host.example/v1/files', init as object)).json();
  await tape.save();
  expect(sent).toEqual(['in pieces']);
  expect(await readTape()).toContain('in pieces');
});

test('a tape that is saved twice at the same time is complete', async () => {
  const { path } = await startRecording();
  const tape = recordings(path, { mode: 'record', fetch: async () => Response.json({}) });
  await (await tape.fetch('https://host.example/v1/models')).json();
  await Promise.all([tape.save(), tape.save(), tape[Symbol.asyncDispose]()]);
  expect(recordings(path, { mode: 'replay' }).unused).toHaveLength(1);
});

test('a tape without one of its files is damaged', async () => {
  const { record, path, replay } = await startRecording();
  await record(async (gateway) => {
    const image = { model: 'prism-image', prompt: 'A harbor' };
    const file = await gateway.download(await gateway.images.generate(image, { pollInterval: 1 }));
    await file.arrayBuffer();
  });
  await rm(path.replace('.json', '.files'), { recursive: true });
  expect(() => replay()).toThrow(ConfigurationError);
  expect(() => replay()).toThrow(/recordings\.\d+\.response\.file: .*1\.png does not exist/);
});
