import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { bundled, opened, openPage } from './page-server.ts';

const key = 'sk-canary-of-the-server';
const gatewayPath = '/api/gateway';

let mock: MockGateway;
let browser: any;
let page: any;
let origin: string;
/** All that went over the wire between the browser and servers, and what the page printed. */
const traffic: string[] = [];
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const app = await createApp('page', [inject('tarball'), 'playwright-core@1.61.1']);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  mock = createMockGateway({ keys: [{ key }], tasks: { durationMs: 300 }, chunkDelayMs: 20 });
  const gateway = await listen(mock);
  closing.push(() => gateway.close());
  const handler = createProxyHandler({
    apiKey: key,
    baseURL: gateway.baseURL,
    authorize: ({ headers }: Request) => (headers.get('cookie') === 'session=s-1' ? 'ann' : null),
  });
  const served = await openPage(await bundled('page.js', app), handler);
  closing.push(served.close);
  origin = `http://127.0.0.1:${served.port}`;

  const { chromium } = (await load('playwright-core/index.js')).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  closing.push(() => browser.close());
  page = await openTab(origin);
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
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

/** Does one of the page's works in the page. */
const inPage = (work: string): Promise<any> => page.evaluate(`work.${work}()`);

test('a page draws an image and shows it', async () => {
  const { width, spent } = await inPage('draw');
  expect(width).toBeGreaterThan(0);
  expect(spent).toBeCloseTo(mock.invoice[0]!.usd);
  const submit = mock.requests.find(({ method }) => method === 'POST');
  expect(submit?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(submit?.headers).not.toHaveProperty('cookie');
});

test('a page reads a stream, and one that it leaves frees its slot', async () => {
  expect(await inPage('talk')).toContain('Describe a harbour');
  await inPage('leave');
  await vi.waitFor(() => expect(mock.inFlight).toBe(0));
});

test('a page gets typed errors, and may not hold a key', async () => {
  expect(await inPage('refused')).toMatchObject([
    { name: 'NotFoundError', status: 404, known: false },
    { name: 'BadRequestError', status: 400, known: false },
    { name: 'ConfigurationError', known: true },
  ]);
});

test("a stranger's page reaches nothing, whatever it tries", async () => {
  const evil = await opened((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<title>Evil</title>');
  });
  closing.push(evil.close);
  for (const host of ['127.0.0.1', 'localhost']) {
    // With the visitor's own cookies.
    await page.goto(`http://${host}:${evil.port}`);
    const before = mock.requests.length;
    const outcomes = await page.evaluate(`(async () => {
      const url = '${origin}${gatewayPath}/v1/images/tasks';
      const body = '{"model":"prism-image","prompt":"Paid by you"}';
      const json = { 'content-type': 'application/json' };
      const tries = [
        { mode: 'cors', headers: json },
        { mode: 'cors', headers: { 'content-type': 'text/plain' } },
        { mode: 'no-cors' },
      ];
      const read = [];
      for (const init of tries) {
        read.push(await fetch(url, { method: 'POST', body, credentials: 'include', ...init })
          .then((answer) => answer.status + answer.type, (error) => error.name));
      }
      const image = new Image();
      image.src = '${origin}${gatewayPath}/v1/models';
      await image.decode().catch(() => {});
      return read;
    })()`);
    expect(outcomes).toEqual(['TypeError', 'TypeError', '0opaque']);
    expect(mock.requests).toHaveLength(before);
  }
  await page.goto(origin);
});

test('the key is nowhere in the page, its traffic or its storage', async () => {
  const all = [...traffic, await inPage('readable')].join('\n');
  const found = ['prism-image', 'session=s-1', key, 'x-svc-balance'].map((text) =>
    all.includes(text),
  );
  expect(found).toEqual([true, true, false, false]);
  const { cookies } = await page.context().storageState({ indexedDB: true });
  expect(cookies.map(({ name }: { name: string }) => name)).toEqual(['session']);
});
