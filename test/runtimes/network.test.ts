import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { eventually } from '../support/eventually.ts';
import { bundle, servePage } from './page-server.ts';

/** How each request of the page ended, as Chromium's network panel shows it. */
const requests = new Map<string, { name: string; end: string }>();
const cleanups: (() => unknown)[] = [];
let page: any;
let mock: any;

beforeAll(async () => {
  const app = await createApp('network', [inject('tarball'), 'playwright-core@1.61.1']);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  mock = createMockGateway({ tasks: { durationMs: 50 }, chunkDelayMs: 5 });
  const { baseURL, close } = await listen(mock);
  cleanups.push(close);
  const handler = createProxyHandler({ apiKey: mock.apiKey, baseURL, authorize: () => 'ann' });
  const server = await servePage(await bundle('network.js', app), handler);
  cleanups.push(server.close);

  const { chromium } = (await load('playwright-core/index.js')).default;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  cleanups.push(() => browser.close());
  page = await (await browser.newContext()).newPage();
  await recordRequests(await page.context().newCDPSession(page));
  await page.goto(`http://127.0.0.1:${server.port}`);
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function recordRequests(devTools: any): Promise<void> {
  devTools.on('Network.requestWillBeSent', ({ requestId, request, type }: any) => {
    if (type !== 'Fetch') return;
    requests.set(requestId, { name: `${request.method} ${request.url}`, end: 'pending' });
  });
  const record = (end: string) => (event: any) => {
    const request = requests.get(event.requestId);
    if (request !== undefined) request.end = event.canceled ? 'canceled' : end;
  };
  devTools.on('Network.loadingFinished', record('finished'));
  devTools.on('Network.loadingFailed', record('failed'));
  await devTools.send('Network.enable');
}

const namesOf = (end: string) =>
  [...requests.values()].filter((request) => request.end === end).map(({ name }) => name);

test("in Chromium's network panel, no call that has a complete response is shown as canceled", async () => {
  await page.evaluate('actions.callEverything()');
  await eventually(() => expect(namesOf('pending')).toEqual([]));
  expect(requests.size).toBeGreaterThan(100);
  expect([...namesOf('canceled'), ...namesOf('failed')]).toEqual([]);
});

test("in Chromium's network panel, a stream that is left in the middle is shown as canceled", async () => {
  requests.clear();
  // Without it, the stream could be complete before the page leaves it.
  mock.fail({ route: 'POST /v1/chat/completions', stallBody: 1_000 });
  await page.evaluate('actions.leaveStream()');
  await eventually(() => expect(namesOf('canceled')).toHaveLength(1));
});
