import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { defaultModels } from '../../src/mock/models.ts';
import { guides, snippetsOf } from '../docs/guides.ts';
import { createApp } from '../packaging/app.ts';
import { startProxiedGateway } from '../support/proxied-gateway.ts';
import type { ProxiedGateway } from '../support/proxied-gateway.ts';

const execute = promisify(execFile);

let app: string;
let gateway: ProxiedGateway;

beforeAll(async () => {
  app = await createApp('proxies', [inject('tarball'), 'bun@1.4.5', 'deno@2.9.6']);
  gateway = await startProxiedGateway();
  await copyFile(join(gateway.folder, 'corporate-ca.pem'), join(app, 'corporate-ca.pem'));
  const guide = guides.find(({ path }) => path === 'docs/runtimes.md') ?? { path: '', text: '' };
  for (const { title, file } of snippetsOf(guide)) {
    const name = title.replace('docs/runtimes.md: ', '').replaceAll(' ', '-');
    await copyFile(file, join(app, `${name}.mjs`));
  }
});

afterAll(() => gateway.close());

test.each([
  { snippet: 'Corporate-proxies', program: 'bun', options: [] },
  { snippet: 'A-proxy-in-Bun', program: 'bun', options: [] },
  { snippet: 'Corporate-proxies', program: 'deno', options: ['run', '--allow-all'] },
  { snippet: 'A-proxy-in-Deno', program: 'deno', options: ['run', '--allow-all'] },
])('$program runs the snippet "$snippet" through a proxy', async (row) => {
  const { environment, tunnels } = gateway;
  const before = tunnels();
  const { stdout } = await execute(
    join(app, 'node_modules/.bin', row.program),
    [...row.options, `${row.snippet}.mjs`],
    {
      cwd: app,
      env: {
        ...process.env,
        ...environment,
        ...(row.snippet.startsWith('Corporate') && { NODE_EXTRA_CA_CERTS: 'corporate-ca.pem' }),
      },
    },
  );
  expect(stdout).toBe(`${defaultModels.length} models\n`);
  expect(tunnels()).toBeGreaterThan(before);
});
