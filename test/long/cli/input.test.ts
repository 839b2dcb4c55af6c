import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { commandLine, Program } from '../../tools/cli/program.ts';
import { requestsTo, startService } from './service.ts';
import type { Service } from './service.ts';

const chat = ['chat', '-m', 'aurora-chat'];
const summarize = [...chat, 'Summarize'];

/** The prompts of the chats that were sent. */
const promptsOf = ({ mock }: Service) =>
  requestsTo(mock, 'POST', '/v1/chat/completions').map(({ body }) => {
    const { messages } = body as { messages: { content: string }[] };
    return messages.at(-1)?.content;
  });

const latin1 = Buffer.from([0x52, 0xe9, 0x73, 0x75, 0x6d, 0xe9]);

test.concurrent.each<[string, string[], Buffer]>([
  ['chat', chat, latin1],
  ['chat with a prompt', summarize, latin1],
  ['image', ['image', '-m', 'prism-image'], latin1],
  ['speech', ['speech', '-m', 'echo-speech'], latin1],
  [
    'batch',
    ['batch', '-', '--journal', 'j', '--max-usd', '1'],
    Buffer.from('prompt\nR\xe9', 'latin1'),
  ],
  ['chat in UTF-16 without a mark', chat, Buffer.from('Hello', 'utf16le')],
  ['chat about a file that is no text', summarize, Buffer.from('GIF89a\0\0')],
])('text on stdin that is not UTF-8 is not sent: %s', async (_, args, input) => {
  const { mock, run } = await startService();
  const { code, stdout, stderr } = await run(args, input);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('stdin is not UTF-8 text');
  expect(mock.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test.concurrent.each<[string, string[], string | Buffer, string]>([
  ['behind the prompt', summarize, 'line 1\nline 2\n', 'Summarize\n\nline 1\nline 2'],
  ['behind the prompt, before -', [...summarize, '-'], 'line\n', 'Summarize\n\nline'],
  ['as the prompt', chat, 'Hello\r\n', 'Hello'],
  ['as the prompt, for -', [...chat, '-'], 'Hello', 'Hello'],
  ['if it is not empty', summarize, ' \n', 'Summarize'],
  ['in UTF-8 with a mark', chat, '\uFEFFRésumé', 'Résumé'],
  ['in UTF-16', chat, Buffer.from('\uFEFFRésumé', 'utf16le'), 'Résumé'],
  ['in UTF-16 of the other order', chat, Buffer.from('\uFEFFRésumé', 'utf16le').swap16(), 'Résumé'],
])('text on stdin is sent %s', async (_, args, input, prompt) => {
  const service = await startService();
  expect(await service.run(args, input)).toMatchObject({ code: 0 });
  expect(promptsOf(service)).toEqual([prompt]);
});

/** Runs a command whose stdin is a file. */
async function runWithFile({ env }: Service, args: readonly string[], path: string) {
  const stdin = openSync(path, 'r');
  const [file = '', ...rest] = commandLine('polygate', args);
  const child = spawn(file, rest, {
    env: { ...process.env, ...env },
    stdio: [stdin, 'ignore', 'pipe'],
  });
  closeSync(stdin);
  const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  return { code, stderr };
}

test.concurrent('a file is put behind the prompt, and a device is not read', async () => {
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), 'polygate-input-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'from a file');
  for (const input of [path, '/dev/null', '/dev/zero']) {
    expect(await runWithFile(service, summarize, input)).toMatchObject({ code: 0 });
  }
  expect(promptsOf(service)).toEqual(['Summarize\n\nfrom a file', 'Summarize', 'Summarize']);
  for (const input of ['/dev/null', folder]) {
    expect(await runWithFile(service, chat, input)).toMatchObject({ code: 2 });
  }
  expect(promptsOf(service)).toHaveLength(3);
});

test.concurrent('a pipe that stays open and silent holds up no chat that has a prompt', async () => {
  const service = await startService();
  const { code, stderr } = await service.start(summarize).end();
  expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing arrived on stdin')]);
  expect(promptsOf(service)).toEqual(['Summarize']);
});

test.concurrent.each([
  ['-', [...summarize, '-'], 'Summarize\n\nlate'],
  ['no prompt', chat, 'late'],
])('with %s, a slow pipe is waited for, and the command says so', async (_, args, prompt) => {
  const service = await startService();
  const program = service.start(args);
  await expect.poll(() => program.stderr).toContain('Waiting for stdin.');
  program.child.stdin?.end('late');
  expect(await program.end()).toMatchObject({ code: 0 });
  expect(promptsOf(service)).toEqual([prompt]);
});

test.concurrent('a command other than chat reads stdin only without an argument, or for -', async () => {
  const service = await startService();
  const image = ['image', 'A harbor', '-m', 'prism-image', '-o', '{id}.svg'];
  const loop = new Program(commandLine('polygate', image), service.env, service.folder);
  expect(await loop.end()).toMatchObject({ code: 0 });
  expect(await service.run([...image, '-'], 'at dawn')).toMatchObject({ code: 0 });
  const bodies = requestsTo(service.mock, 'POST', '/v1/images').map(({ body }) => body);
  expect(bodies).toMatchObject([{ prompt: 'A harbor' }, { prompt: 'A harbor\n\nat dawn' }]);
});
