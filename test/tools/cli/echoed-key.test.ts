import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { run } from './program.ts';

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
