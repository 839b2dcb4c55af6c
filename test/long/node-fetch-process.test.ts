import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { serve } from '../integrations/node/fetch/support.ts';
import { startHttp2Gateway } from '../support/http2-server.ts';

const execute = promisify(execFile);
const fromSource = new URL('../from-source.ts', import.meta.url);

/** Runs a program that ends by itself, and returns what it prints. */
async function run(program: string, url: string, environment: object = {}): Promise<string> {
  const { stdout } = await execute(
    'node',
    ['--import', fromSource.href, '--input-type=module', '--eval', program],
    { env: { ...process.env, URL: url, ...environment }, timeout: 120_000 },
  );
  return stdout.trim();
}

/** A process may stay alive without work for less time than an idle connection lives, by default ten minutes, in ms. */
const start = `
import { nodeFetch } from 'polygate/node';
const { URL: url } = process.env;
process.on('unhandledRejection', () => console.log('unhandled'));
process.on('exit', () => console.log(performance.now() - ended < Number(process.env.LIMIT ?? 60_000) ? 'at once' : 'late'));
let ended = 0;
const fetch = nodeFetch({ http2: true });
`;
const end = 'ended = performance.now();';

test.each([
  ['an idle connection', `await (await fetch(url)).text(); ${end}`],
  ['close()', `await (await fetch(url)).text(); await fetch.close(); ${end}`],
  [
    'an aborted request',
    `const controller = new AbortController();
    const promise = fetch(url + '/never', { signal: controller.signal }).catch(() => {});
    setTimeout(() => { controller.abort(); ${end} }, 100); await promise;`,
  ],
  [
    'a body that was canceled',
    `const response = await fetch(url + '/endless'); await response.body.cancel(); ${end}`,
  ],
])('%s does not keep the process alive', async (_, program) => {
  const { url } = await serve((request, response) => {
    if (request.url === '/never') return;
    response.write('text');
    if (request.url !== '/endless') response.end();
  });
  expect(await run(start + program, url)).toBe('at once');
});

test('an idle HTTP/2 connection does not keep the process alive', async () => {
  const gateway = await startHttp2Gateway();
  try {
    const program = `${start} await (await fetch(url + '/v1/models')).text(); ${end}`;
    // The idle connection lives for four seconds.
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0', LIMIT: '3500' };
    expect(await run(program, gateway.baseURL, environment)).toBe('at once');
    expect(gateway.sessions).toHaveLength(1);
  } finally {
    gateway.close();
  }
});

test('a process with many bodies that no one reads still gets connections', async () => {
  const { url } = await serve((_, response) => void response.write('x'.repeat(100)));
  const program = `${start}
    const { setTimeout: sleep } = await import('node:timers/promises');
    const few = nodeFetch({ connections: 2 });
    for (let count = 0; count < 6; count += 1) {
      let timer = setInterval(() => gc(), 20);
      await few(url);
      clearInterval(timer);
    }
    console.log('done'); process.exit();`;
  const { stdout } = await execute(
    'node',
    ['--expose-gc', '--import', fromSource.href, '--input-type=module', '--eval', program],
    { env: { ...process.env, URL: url }, timeout: 120_000 },
  );
  expect(stdout).toContain('done');
});

test('a connection lost at any moment is never an unhandled rejection', async () => {
  let count = 0;
  const { url } = await serve((request, response) => {
    count += 1;
    response.writeHead(200, count % 3 === 0 ? { 'content-encoding': 'gzip' } : {});
    response.write('some text');
    setTimeout(() => request.socket.resetAndDestroy(), count % 10);
  });
  const program = `${start}
    for (let count = 0; count < 60; count += 1) {
      const response = await fetch(url).catch(() => undefined);
      if (count % 4 === 1) response?.body?.getReader();
      if (count % 4 === 2) response?.clone();
      if (count % 4 === 3) response?.text().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    ${end}`;
  expect(await run(program, url)).toBe('at once');
});
