/** The example with a budget per user, with the packed package, in Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { createApp } from '../packaging/app.ts';
import { launches } from './browsers.ts';

const examples = new URL('../../examples/', import.meta.url);
const { hono, esbuild } = manifest.devDependencies;

let mock: MockGateway;
let url: string;
let browser: any;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const packages = [`hono@${hono}`, `esbuild@${esbuild}`, 'playwright-core@1.61.1'];
  const app = await createApp('user-limits', [inject('tarball'), ...packages]);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  mock = createMockGateway({ tasks: { durationMs: 100 } });
  const gateway = await listen(mock);
  cleanups.push(() => gateway.close());

  await mkdir(join(app, 'support'));
  for (const path of ['user-limits', 'support/gateway.ts']) {
    await cp(new URL(path, examples), join(app, path), { recursive: true });
  }
  const env = { POLYGATE_BASE_URL: gateway.baseURL, POLYGATE_API_KEY: mock.apiKey, PORT: '0' };
  const server = spawn(process.execPath, ['user-limits/start.ts'], {
    cwd: app,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(async () => {
    server.kill('SIGINT');
    if (server.exitCode === null) await once(server, 'exit');
  });
  const [line] = await once(createInterface(server.stdout), 'line');
  url = /http:\S+/.exec(line)?.[0] ?? '';

  const { chromium } = (await load('playwright-core/index.js')).default;
  browser = await chromium.launch(launches.chromium);
  cleanups.push(() => browser.close());
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

beforeEach(() => mock.clearRecords());

/** Opens the page as a new user. */
async function openPage() {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  return {
    page,
    left: (amount: string) => page.getByText(`${amount} of $0.10 left until`).waitFor(),
    draw: (name: string) => page.getByRole('button', { name }).click(),
    images: (count: number) =>
      page
        .locator('img')
        .nth(count - 1)
        .waitFor(),
  };
}

test('a page shows what is left of the budget, which parallel requests cannot exceed', async () => {
  const { page, left, draw, images } = await openPage();
  await left('$0.10');
  await draw('Draw four harbors');
  await images(4);
  await left('$0.02');
  await draw('Draw four harbors');
  await page.getByText('Your budget is used up.').waitFor();
  await images(5);
  await left('$0.00');
  expect(await page.locator('meter').evaluate((meter: any) => meter.value)).toBeCloseTo(0);
  expect(mock.invoice).toHaveLength(5);
});

test('each user has a budget, which a reload does not renew', async () => {
  const { page, left, draw, images } = await openPage();
  await left('$0.10');
  await draw('Draw a harbor');
  await images(1);
  await left('$0.08');
  await page.reload();
  await left('$0.08');
  expect(mock.invoice).toHaveLength(1);
});

test('a lost response is counted and charged once, because the page sends its key again', async () => {
  const { left, draw, images } = await openPage();
  await left('$0.10');
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
  await draw('Draw a harbor');
  await images(1);
  await left('$0.08');
  expect(mock.invoice).toHaveLength(1);
  expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});
