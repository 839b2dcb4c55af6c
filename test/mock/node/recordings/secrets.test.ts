import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { recordings } from '../../../../src/mock/node/index.ts';
import { canary, chat, image, startRecording } from './support.ts';

test('no credential reaches the tape, wherever a response repeats it', async () => {
  const { record, readTape, path } = await startRecording();
  await record(async (gateway) => {
    // The gateway quotes prompts, in streams word by word.
    await gateway.chat.completions.create(chat(`My key is ${canary}.`));
    await gateway.chat.completions.stream(chat(`My key is ${canary}.`)).final();
    const done = await gateway.images.generate(image, { pollInterval: 1 });
    await (await gateway.download(done)).arrayBuffer();
  });
  const text = await readTape();
  expect(text).not.toContain(canary);
  expect(text).not.toMatch(/expires=\d|127\.0\.0\.1/);
  expect(text).toContain('https://recorded.invalid/1');
  expect(text).not.toMatch(/authorization|set-cookie|request-id|concurrency-remaining|"date"/i);
  expect(await readdir(join(dirname(path), 'app.files'))).toEqual(['1.png']);
});

test('a key that a stream repeats in pieces is removed as a whole', async () => {
  const { mock, record, readTape, replay } = await startRecording();
  mock.reply({ chunks: ['The key is ', ...canary.match(/.{1,3}/g)!, ', is it not?'] });
  const read = async (gateway: ReturnType<typeof replay>['gateway']) => {
    const { choices } = await gateway.chat.completions.stream(chat('Key?')).final();
    return choices[0]?.message.content;
  };
  expect(await record(read)).toBe(`The key is ${canary}, is it not?`);
  for (const part of canary.match(/.{6}/g)!) expect(await readTape()).not.toContain(part);
  expect(await read(replay().gateway)).toBe('The key is [redacted], is it not?');
});

test('keys in queries, signed links in any text, and what `redact` replaces are not stored', async () => {
  const { path, readTape } = await startRecording();
  const signed = 'https://files.example/a.png?X-Amz-Signature=s3cr3t';
  const redact = (text: string) => text.replaceAll('Ann', 'someone');
  const body = { message: `Ann: see ${signed}.`, images: ['https://files.example/b.png'] };
  const fetch = async () => Response.json(body, { headers: { 'set-cookie': 'session=s3cr3t' } });
  const send = (tape: ReturnType<typeof recordings>) =>
    tape.fetch('https://host.example/v1beta/models?key=AIza-s3cr3t-key&page=2', {
      method: 'POST',
      body: JSON.stringify({ prompt: 'Draw Ann' }),
    });
  const tape = recordings(path, { mode: 'record', fetch, redact });
  await (await send(tape)).json();
  await tape.save();
  expect(await readTape()).not.toMatch(/s3cr3t|Ann|files\.example/);
  const replayed = await (await send(recordings(path, { mode: 'replay', redact }))).json();
  expect(replayed).toEqual({
    message: 'someone: see https://recorded.invalid/1.',
    images: ['https://recorded.invalid/2'],
  });
});

test.each([
  ['in upper case', (key: string) => key.toUpperCase()],
  ['in base64', (key: string) => btoa(key)],
  ['in base64 after a name', (key: string) => btoa(`me:${key}`)],
  ['in base64 after one character', (key: string) => btoa(`:${key}:`)],
  ['in base64 for URLs', (key: string) => Buffer.from(`?>${key}`).toString('base64url')],
  ['escaped in JSON', (key: string) => JSON.stringify({ key })],
])('a key that a response repeats %s is not stored', async (_, write) => {
  for (const key of [canary, 'a/key+that?is"escaped>>']) {
    const path = join(await mkdtemp(join(tmpdir(), 'polygate-')), 'tape.json');
    const text = write(key);
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(text)]);
    const replies = [
      () => Response.json({ id: 1, key: text, text: `Your key is ${text}.` }),
      () => new Response(`Your key is ${text}.`),
      () => new Response(bytes, { headers: { 'content-type': 'image/png' } }),
    ];
    const fetch = async () => replies.shift()?.() ?? new Response();
    const tape = recordings(path, { mode: 'record', fetch });
    const headers = { authorization: `Bearer ${key}` };
    for (const part of ['json', 'text', 'file']) {
      await (await tape.fetch(`https://gateway.example/${part}`, { headers })).arrayBuffer();
    }
    await tape.save();
    const folder = dirname(path);
    for (const name of await readdir(folder, { recursive: true })) {
      const stored = await readFile(join(folder, name), 'latin1').catch(() => '');
      // Without the last characters of base64, which depend on what follows the key.
      const shown = text.slice(4, -4);
      expect(stored).not.toContain(shown);
      expect(stored).not.toContain(JSON.stringify(shown).slice(1, -1));
    }
  }
});
