import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { launches } from './browsers.ts';
import { bundle, servePage } from './page-server.ts';

let app: string;
let mock: MockGateway;
let handler: any;
let playwright: any;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  app = await createApp('tracing', [
    inject('tarball'),
    'playwright-core@1.61.1',
    '@opentelemetry/api@1.9.1',
    '@opentelemetry/context-zone@2.12.0',
    '@opentelemetry/instrumentation-fetch@0.223.0',
    '@opentelemetry/sdk-trace-web@2.12.0',
  ]);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');
  const durationMs = 50;
  mock = createMockGateway({ tasks: { durationMs }, materials: { durationMs } });
  const { baseURL, close } = await listen(mock);
  cleanups.push(close);
  handler = createProxyHandler({
    apiKey: mock.apiKey,
    baseURL,
    authorize: () => 'ann',
  });
  playwright = (await load('playwright-core/index.js')).default;
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const submit = ['generate_image prism-image', 'generate_image prism-image > POST'];
const poll = 'GET /v1/images/tasks/{id}';
const wait = ['wait image', `wait image > ${poll}`, `wait image > ${poll} > GET`];

/** The span of each caller in the page, and the spans below it. */
const calls: Readonly<Record<string, string[]>> = {
  list: ['GET /v1/models', 'GET /v1/models > GET'],
  stream: ['chat aurora-chat', 'chat aurora-chat > POST'],
  fetch: ['GET /v1/status', 'GET /v1/status > GET'],
  generate: ['generate image', ...[...submit, ...wait].map((path) => `generate image > ${path}`)],
  register: [
    'POST /v1/materials',
    'POST /v1/materials > POST',
    'wait material',
    'wait material > GET /v1/materials/{material_id}',
    'wait material > GET /v1/materials/{material_id} > GET',
  ],
  batch: [...submit, ...wait],
};
const expected = Object.entries(calls)
  .flatMap(([name, paths]) => [name, ...paths.map((path) => `${name} > ${path}`)])
  .toSorted();

test.each([
  ['chromium', 'stack'],
  ['chromium', 'zone'],
  ['firefox', 'stack'],
  ['firefox', 'zone'],
] as const)(
  'in %s with the %s context manager, calls nest under the active span, and requests under calls',
  async (kind, manager) => {
    const server = await servePage(await bundle(`${manager}-page.js`, app), handler);
    const browser = await playwright[kind].launch(launches[kind]);
    try {
      const page = await (await browser.newContext({ viewport: null })).newPage();
      await page.goto(`http://127.0.0.1:${server.port}`);
      const report = await page.evaluate('actions.trace()');
      expect(report).toEqual({ plain: expected, hooked: expected });
    } finally {
      await browser.close();
      server.close();
    }
  },
);
