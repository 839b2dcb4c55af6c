import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { defaultModels } from '../../src/mock/models.ts';
import { runFromSource } from '../run-from-source.ts';
import { startProxiedGateway } from '../support/proxied-gateway.ts';
import type { ProxiedGateway } from '../support/proxied-gateway.ts';
import { guides, snippetsOf } from './guides.ts';

/** What the snippets print. */
const modelCount = `${defaultModels.length} models\n`;
const snippets = guides
  .filter(({ path }) => path === 'docs/runtimes.md')
  .flatMap((guide) => snippetsOf(guide));

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway.close());

/** Runs a snippet of the guide in a folder with the certificate of the CA. */
async function run(heading: string, env: Readonly<Record<string, string>> = {}) {
  const snippet = snippets.find(({ title }) => title === `docs/runtimes.md: ${heading}`);
  if (snippet === undefined) throw new Error(`The guide has no snippet ${heading}`);
  const { folder, environment, tunnels } = gateway;
  const before = tunnels();
  const { code, stdout, stderr } = await runFromSource(pathToFileURL(snippet.file), {
    cwd: folder,
    env: { ...environment, ...env },
  });
  return { code, stdout, stderr, usedProxy: tunnels() > before };
}

const trusted = { NODE_EXTRA_CA_CERTS: 'corporate-ca.pem' };

test('environment variables send the requests of Node.js through a proxy', async () => {
  const result = await run('Corporate proxies', { ...trusted, NODE_USE_ENV_PROXY: '1' });
  expect(result).toEqual({ code: 0, stdout: modelCount, stderr: '', usedProxy: true });
});

test('without NODE_USE_ENV_PROXY, requests go directly', async () => {
  const result = await run('Corporate proxies', trusted);
  expect(result).toMatchObject({ code: 0, stdout: modelCount, usedProxy: false });
});

test('an agent of undici sends the requests of one client through a proxy', async () => {
  expect(await run('A proxy in Node.js')).toEqual({
    code: 0,
    stdout: modelCount,
    stderr: '',
    usedProxy: true,
  });
});

test('a proxy that rejects the password, and a CA that is not trusted, are named and nothing is sent', async () => {
  const before = gateway.mock.requests.length;
  const { wrongProxyURL: HTTPS_PROXY } = gateway;
  const [rejected, untrusted] = await Promise.all([
    run('A proxy in Node.js', { HTTPS_PROXY }),
    run('Corporate proxies', { NODE_USE_ENV_PROXY: '1' }),
  ]);
  expect(rejected.stderr).toMatch(/Proxy response \(407\)/);
  expect(rejected.stderr).toMatch(/outcome: 'not-sent'/);
  expect(untrusted.stderr).toMatch(/unable to verify the first certificate/);
  expect(untrusted.stderr).toMatch(/outcome: 'not-sent'/);
  expect(gateway.mock.requests).toHaveLength(before);
});
