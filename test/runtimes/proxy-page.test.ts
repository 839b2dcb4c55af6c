import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

import { createApp } from '../packaging/app.ts';

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
  const app = await createApp('page', [inject('tarball'), 'playwright-core@1.65.1']);
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
  const script = await build({
    entryPoints: [new URL('page.js', import.meta.url).pathname],
    nodePaths: [join(app, 'node_modules')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  origin = await opened(
    createServer((incoming, outgoing) => {
      if (incoming.url?.startsWith(gatewayPath)) return void pass(handler, incoming, outgoing);
      if (incoming.url === '/page.js') {
        outgoing.setHeader('content-type', 'text/javascript');
        return void outgoing.end(script.outputFiles[0]?.text);
      }
      const session = 'session=s-1; HttpOnly; SameSite=Lax; Path=/';
      outgoing.writeHead(200, { 'content-type': 'text/html', 'set-cookie': session });
      outgoing.end(
        '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>',
      );
    }),
  );

  const { chromium } = (await load('playwright-core/index.js')).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  closing.push(() => browser.close());
  page = await openPage(origin);
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function openPage(url: string) {
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
  const evil = await opened(
    createServer((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<title>Evil</title>');
    }),
  );
  for (const site of [evil, evil.replace('127.0.0.1', 'localhost')]) {
    // With the visitor's own cookies.
    await page.goto(site);
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

async function opened(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The adapter of docs/browsers-and-proxy.md. */
async function pass(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  try {
    const { method = 'GET', headers, url } = incoming;
    const init = { method, headers: headers as HeadersInit, signal: left.signal };
    const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
    const target = `http://${headers.host}${url}`;
    const response = await handler(new Request(target, { ...init, ...body } as RequestInit));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    await pipeline(response.body ?? [], outgoing);
  } catch {
    outgoing.destroy();
  }
}
