/** The images of the reference gateway, as a page with the AI SDK shows them. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { createApp } from '../packaging/app.ts';
import { launches } from './browsers.ts';
import { bundle, servePage } from './page-server.ts';

const packages = ['ai', '@ai-sdk/provider', '@ai-sdk/openai-compatible'] as const;
const cleanups: (() => unknown)[] = [];
let mock: MockGateway;
let baseURL: string;
let page: any;

beforeAll(async () => {
  const app = await createApp('images', [
    inject('tarball'),
    'playwright-core@1.61.1',
    ...packages.map((name) => `${name}@${manifest.devDependencies[name]}`),
  ]);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { default: playwright } = await load('playwright-core/index.js');
  mock = createMockGateway({ tasks: { durationMs: 0 } });
  const gateway = await listen(mock, { cors: true });
  cleanups.push(gateway.close);
  baseURL = gateway.baseURL;
  const server = await servePage(await bundle('image-page.js', app), () =>
    Promise.resolve(new Response()),
  );
  cleanups.push(server.close);
  const browser = await playwright.chromium.launch(launches.chromium);
  cleanups.push(() => browser.close());
  page = await (await browser.newContext({ viewport: null })).newPage();
  await page.goto(`http://127.0.0.1:${server.port}`);
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

test.each([
  [undefined, 'image/png'],
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
])('Chromium shows an image of generateImage in the format %s', async (format, mediaType) => {
  const options = { apiKey: mock.apiKey, baseURL, allowInsecureBaseURL: true };
  const charges = mock.invoice.length;
  const shown = await page.evaluate(
    `actions.show(${JSON.stringify(options)}, ${JSON.stringify(format)})`,
  );
  expect(shown).toMatchObject({ mediaType, isPicture: true });
  expect(Math.min(shown.width, shown.height)).toBeGreaterThan(100);
  expect(mock.invoice).toHaveLength(charges + 1);
});
