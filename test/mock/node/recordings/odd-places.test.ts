import { expect, test } from 'vitest';

import { recordings } from '../../../../src/mock/node/index.ts';
import { startRecording } from './support.ts';

const key = 'sk-odd-4f1d9b7a2c/+=';
const link = 'https://files.example/b.png';

/** Records one request, and returns the text of its tape and what a replay responds with. */
async function recorded(response: () => Response, init: RequestInit = {}, query = '') {
  const { path, readTape } = await startRecording();
  const redact = (text: string) => text.replaceAll('Ann', 'someone');
  const send = (fetch: typeof globalThis.fetch) =>
    fetch(`https://host.example/v1/models${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      ...init,
    });
  const tape = recordings(path, { mode: 'record', redact, fetch: async () => response() });
  await (await send(tape.fetch)).text();
  await tape.save();
  const replay = recordings(path, { mode: 'replay', redact });
  return { tape: await readTape(), replayed: await (await send(replay.fetch)).text() };
}

test('names of fields are redacted', async () => {
  const body = { usage: { [key]: 1, Ann: { deep: [{ [key]: link }] } } };
  const { tape, replayed } = await recorded(() => Response.json(body), {
    body: JSON.stringify({ metadata: { Ann: key } }),
  });
  expect(tape).not.toMatch(/odd-4f1d|Ann/);
  expect(JSON.parse(replayed).usage).toHaveProperty('someone');
});

test('a result in JSON with numbers of too many digits is redacted, and keeps the digits', async () => {
  const body = `{"id":12345678901234567890,"images":["${link}"],"note":"${key} of Ann at ${link}"}`;
  const { tape, replayed } = await recorded(
    () => new Response(body, { headers: { 'content-type': 'application/json' } }),
  );
  expect(tape).not.toMatch(/odd-4f1d|Ann|files\.example/);
  expect(replayed).toContain('12345678901234567890');
  expect(replayed).toContain('https://recorded.invalid/1');
});

test('tokens in a query are not stored, and neither are those of links in a response', async () => {
  const response = {
    page: 'https://a.example/x?api_key=s3cr3t-1',
    other: 'https://:s3cr3t-2@a.example/',
  };
  const query = '?access_token=s3cr3t-3&page=2';
  const { tape } = await recorded(() => Response.json(response), {}, query);
  expect(tape).not.toContain('s3cr3t');
  expect(tape).toContain('page=2');
});

test('a key in a binary body is not stored', async () => {
  const form = new FormData();
  form.set('key', key);
  form.set('file', new Blob([new Uint8Array([0xff, 0xfe, 0x00, 0x80])]), 'a.bin');
  const { tape } = await recorded(() => new Response(null, { status: 204 }), { body: form });
  const [, stored = ''] = /"base64:([^"]+)"/.exec(tape) ?? [];
  expect(stored).not.toBe('');
  expect(Buffer.from(stored, 'base64').toString('latin1')).not.toContain('odd-4f1d');
});

test('a key in an error page without a known type is not stored', async () => {
  const headers = { 'content-type': 'application/octet-stream' };
  const { tape, replayed } = await recorded(
    () => new Response(`unknown key ${key}`, { status: 401, headers }),
  );
  expect(tape).not.toContain('odd-4f1d');
  expect(replayed).toBe('unknown key [redacted]');
});

test('an aborted request fails in a replay without a signal', async () => {
  const { path } = await startRecording();
  const controller = new AbortController();
  const tape = recordings(path, {
    mode: 'record',
    fetch: async (_, init) => {
      controller.abort();
      throw init?.signal?.reason;
    },
  });
  const url = 'https://host.example/v1/models';
  await expect(tape.fetch(url, { signal: controller.signal })).rejects.toThrow('aborted');
  await tape.save();
  const replay = recordings(path, { mode: 'replay' });
  await expect(replay.fetch(url)).rejects.toThrow('aborted');
});
