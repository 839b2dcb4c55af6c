import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { defaultModels } from '../../src/mock/models.ts';
import { eventually } from '../support/eventually.ts';
import { startProxiedGateway } from '../support/proxied-gateway.ts';
import type { ProxiedGateway } from '../support/proxied-gateway.ts';

const execute = promisify(execFile);
const fromSource = new URL('../from-source.ts', import.meta.url);

function hasTinyproxy(): boolean {
  try {
    execFileSync('tinyproxy', ['-v']);
    return true;
  } catch {
    if (process.env['POLYGATE_TEST_TINYPROXY'] === 'required') throw new Error('no tinyproxy');
    return false;
  }
}

describe.runIf(hasTinyproxy())('through tinyproxy, which requires a password', () => {
  let gateway: ProxiedGateway;
  let folder: string;
  let proxy: ReturnType<typeof spawn>;
  let port: number;

  beforeAll(async () => {
    gateway = await startProxiedGateway();
    folder = await mkdtemp(join(tmpdir(), 'polygate-tinyproxy-'));
    port = await freePort();
    const settings = [
      `Port ${port}`,
      'Listen 127.0.0.1',
      'BasicAuth ann secret',
      `LogFile "${join(folder, 'log')}"`,
      'LogLevel Connect',
    ];
    await writeFile(join(folder, 'conf'), `${settings.join('\n')}\n`);
    proxy = spawn('tinyproxy', ['-d', '-c', join(folder, 'conf')], { stdio: 'ignore' });
    await eventually(() => canConnect(port));
  });

  afterAll(async () => {
    proxy.kill();
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  /** Lists the models in a process that trusts the gateway's certificate authority, and returns what it prints. */
  async function listModels(options: string, environment: object = {}): Promise<string> {
    const program = `
      import { Polygate } from 'polygate';
      import { nodeFetch } from 'polygate/node';
      await using fetch = nodeFetch(${options});
      const gateway = new Polygate({ fetch, maxRetries: 0, logLevel: 'off' });
      try {
        console.log((await gateway.models.list()).data.length, 'models');
      } catch (error) {
        console.log(error.name, error.outcome);
      }`;
    const { stdout } = await execute(
      'node',
      ['--import', fromSource.href, '--input-type=module', '--eval', program],
      {
        env: {
          ...process.env,
          ...gateway.environment,
          FORCE_COLOR: '0',
          NODE_EXTRA_CA_CERTS: join(gateway.folder, 'corporate-ca.pem'),
          ...environment,
        },
      },
    );
    return stdout.trim();
  }

  const log = () => readFile(join(folder, 'log'), 'utf8');

  test.each([
    ['a URL', (url: string) => [`{ proxy: '${url}' }`, {}] as const],
    [
      "'env'",
      (url: string) => ["{ proxy: 'env' }", { HTTPS_PROXY: url, https_proxy: url }] as const,
    ],
  ])('a request is tunneled: proxy is %s', async (_, setUp) => {
    const before = (await log()).length;
    const [options, environment] = setUp(`http://ann:secret@127.0.0.1:${port}`);
    expect(await listModels(options, environment)).toBe(`${defaultModels.length} models`);
    expect((await log()).slice(before)).toContain('CONNECT localhost:');
  });

  test('NO_PROXY is respected', async () => {
    const url = `http://ann:secret@127.0.0.1:${port}`;
    const before = (await log()).length;
    const environment = {
      HTTPS_PROXY: url,
      https_proxy: url,
      NO_PROXY: 'localhost',
      no_proxy: 'localhost',
    };
    expect(await listModels("{ proxy: 'env' }", environment)).toBe(
      `${defaultModels.length} models`,
    );
    expect((await log()).slice(before)).not.toContain('CONNECT localhost:');
  });

  test('a wrong password sends nothing', async () => {
    const options = `{ proxy: 'http://ann:wrong@127.0.0.1:${port}' }`;
    expect(await listModels(options)).toBe('ConnectionError not-sent');
  });

  test('a proxy that is not there sends nothing', async () => {
    const options = `{ proxy: 'http://127.0.0.1:${await freePort()}' }`;
    expect(await listModels(options)).toBe('ConnectionError not-sent');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function canConnect(port: number): Promise<void> {
  const { connect } = await import('node:net');
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}
