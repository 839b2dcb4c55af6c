import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { eventually } from '../support/eventually.ts';
import { bundle, servePage, startServer } from './page-server.ts';

const key = 'sk-canary-server';
const gatewayPath = '/api/gateway';

let mock: MockGateway;
let browser: any;
let page: any;
let origin: string;
/** Whether the server closes the connection of the next request in place of its response. */
let losesResponse = false;
/** All traffic between the browser and the servers, and the console output of the page. */
const traffic: string[] = [];
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const app = await createApp('page', [inject('tarball'), 'playwright-core@1.61.1']);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  mock = createMockGateway({ keys: [{ key }], tasks: { durationMs: 300 }, chunkDelayMs: 20 });
  const gateway = await listen(mock);
  cleanups.push(() => gateway.close());
  const handler = createProxyHandler({
    apiKey: key,
    baseURL: gateway.baseURL,
    authorize: ({ headers }: Request) => (headers.get('cookie') === 'session=s-1' ? 'ann' : null),
  });
  const server = await servePage(await bundle('page.js', app), async (request) => {
    const response = await handler(request);
    if (!losesResponse) return response;
    losesResponse = false;
    throw new Error('The connection closes without a response.');
  });
  cleanups.push(server.close);
  origin = `http://127.0.0.1:${server.port}`;

  const { chromium } = (await load('playwright-core/index.js')).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  cleanups.push(() => browser.close());
  page = await openTab(origin);
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function openTab(url: string) {
  const tab = await (await browser.newContext()).newPage();
  tab.on('console', (message: any) => traffic.push(message.text()));
  tab.on('request', async (request: any) => {
    traffic.push(request.url(), request.postData() ?? '');
    traffic.push(JSON.stringify(await request.allHeaders().catch(() => '')));
  });
  tab.on('response', async (response: any) => {
    traffic.push(JSON.stringify(await response.allHeaders().catch(() => '')));
    traffic.push(await response.text().catch(() => ''));
  });
  await tab.goto(url);
  return tab;
}

/** Runs one of the page's actions. */
const inPage = (action: string): Promise<any> => page.evaluate(`actions.${action}()`);

test('a page generates an image and shows it', async () => {
  const { width, spent } = await inPage('generateImage');
  expect(width).toBeGreaterThan(0);
  expect(spent).toBeCloseTo(mock.invoice[0]!.usd);
  const submit = mock.requests.find(({ method }) => method === 'POST');
  expect(submit?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(submit?.headers).not.toHaveProperty('cookie');
});

test('a page reads a stream, and an abandoned stream frees its slot', async () => {
  expect(await inPage('streamChat')).toContain('Describe a harbor');
  await inPage('abandonStream');
  await eventually(() => expect(mock.inFlight).toBe(0));
});

test('a chat whose response is lost is charged once, although the browser repeats it', async () => {
  // Chromium repeats requests only on connections that it has used before.
  await inPage('streamChat');
  const before = mock.invoice.length;
  losesResponse = true;
  expect(await inPage('outcomeOfChat')).toBe('unknown');
  expect(mock.invoice).toHaveLength(before + 1);
});

test('a page gets typed errors and cannot be given an API key', async () => {
  expect(await inPage('collectErrors')).toMatchObject([
    { name: 'NotFoundError', status: 404, isConfigurationError: false },
    { name: 'BadRequestError', status: 400, isConfigurationError: false },
    { name: 'ConfigurationError', isConfigurationError: true },
  ]);
});

test('a page on another origin cannot send any request to the gateway', async () => {
  const evil = await startServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<title>Evil</title>');
  });
  cleanups.push(evil.close);
  for (const host of ['127.0.0.1', 'localhost']) {
    // The requests include the user's cookies.
    await page.goto(`http://${host}:${evil.port}`);
    const before = mock.requests.length;
    const outcomes = await page.evaluate(`(async () => {
      const url = '${origin}${gatewayPath}/v1/images/tasks';
      const body = '{"model":"prism-image","prompt":"Paid by you"}';
      const json = { 'content-type': 'application/json' };
      const attempts = [
        { mode: 'cors', headers: json },
        { mode: 'cors', headers: { 'content-type': 'text/plain' } },
        { mode: 'no-cors' },
      ];
      const results = [];
      for (const init of attempts) {
        results.push(await fetch(url, { method: 'POST', body, credentials: 'include', ...init })
          .then((response) => response.status + response.type, (error) => error.name));
      }
      const image = new Image();
      image.src = '${origin}${gatewayPath}/v1/models';
      await image.decode().catch(() => {});
      return results;
    })()`);
    expect(outcomes).toEqual(['TypeError', 'TypeError', '0opaque']);
    expect(mock.requests).toHaveLength(before);
  }
  await page.goto(origin);
});

test('the API key appears nowhere in the page, its traffic or its storage', async () => {
  const all = [...traffic, await inPage('readEverything')].join('\n');
  const found = ['prism-image', 'session=s-1', key, 'x-svc-balance'].map((text) =>
    all.includes(text),
  );
  expect(found).toEqual([true, true, false, false]);
  const { cookies } = await page.context().storageState({ indexedDB: true });
  expect(cookies.map(({ name }: { name: string }) => name)).toEqual(['session']);
});
