import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { run } from '../../tools/cli/program.ts';

const key = 'canary-of-a-key-51c7';

/** A service that repeats the API key in its headers and its records. */
async function startEcho(status: number) {
  const server = createServer((request, response) => {
    const echoed = (request.headers.authorization ?? '').toUpperCase();
    const model = { id: echoed, type: echoed, object: 'model' };
    const record = { object: 'list', data: [model], id: echoed, error: { message: echoed } };
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': echoed });
    response.end(JSON.stringify(record));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['models', 200],
  ['models', 400],
  ['balance', 200],
  ['balance', 400],
  ['types', 400],
])('polygate %s does not print a key that the service repeats with a %i', async (name, status) => {
  const baseURL = await startEcho(status);
  const env = { POLYGATE_API_KEY: key, POLYGATE_BASE_URL: baseURL };
  for (const args of [[name], [name, '--json']]) {
    const { stdout, stderr } = await run('polygate', args, env);
    expect(stdout + stderr).not.toBe('');
    expect((stdout + stderr).toLowerCase()).not.toContain(key);
  }
});

/** A service that repeats the API key in a chat: in its id, and in the text, in pieces. */
async function startChat() {
  const server = createServer((request, response) => {
    const echoed = (request.headers.authorization ?? '').replace('Bearer ', '').toUpperCase();
    const pieces = ['A ship. ', echoed.slice(0, 4), echoed.slice(4), ` and ${echoed.slice(0, 9)}`];
    const chunks = pieces.map((content) => ({
      id: `chat-${echoed}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'aurora-chat',
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }));
    const last = { ...chunks[0], choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of [...chunks, last]) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('polygate chat does not print a key that the model repeats', async () => {
  const env = { POLYGATE_API_KEY: key, POLYGATE_BASE_URL: await startChat() };
  const args = ['chat', 'Hi', '-m', 'aurora-chat'];
  const text = `A ship. … and ${key.slice(0, 9).toUpperCase()}`;
  expect((await run('polygate', args, env)).stdout).toBe(`${text}\n`);
  const completion = JSON.parse((await run('polygate', [...args, '--json'], env)).stdout);
  expect(completion).toMatchObject({ id: 'chat-…', choices: [{ message: { content: text } }] });
});
