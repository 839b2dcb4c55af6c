import { expect, inject, test } from 'vitest';

import { createApp } from './app.ts';
import { run } from './run.ts';

const program = `
  import { createServer } from 'node:http';
  import { once } from 'node:events';
  import { ConfigurationError } from 'polygate';
  import { nodeFetch } from 'polygate/node';
  const server = createServer((request, response) => request.pipe(response)).listen(0);
  await once(server, 'listening');
  try {
    const fetch = nodeFetch();
    const url = 'http://127.0.0.1:' + server.address().port;
    const response = await fetch(url, { method: 'POST', body: 'sent' });
    console.log(response instanceof Response, await response.text());
    await fetch.close();
  } catch (error) {
    console.log(error instanceof ConfigurationError, error.message);
  }
  server.close();
`;
const evaluate = (app: string) => run('node', ['--input-type=module', '--eval', program], app);

test('nodeFetch without undici names the command that installs it', async () => {
  const app = await createApp('node-fetch', [inject('tarball')]);
  expect(await evaluate(app)).toBe(
    'true nodeFetch: undici is missing. Run `npm install undici`.\n',
  );
});

test.each(['7.10.0', '8.0.0', '8.12.4'])('nodeFetch works with undici %s', async (version) => {
  const app = await createApp(`node-fetch-${version}`, [inject('tarball'), `undici@${version}`]);
  expect(await evaluate(app)).toBe('true sent\n');
});
