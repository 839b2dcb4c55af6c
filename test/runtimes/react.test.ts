import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';

import { guides, snippetsOf } from '../docs/guides.ts';
import { createApp } from '../packaging/app.ts';
import { servePage } from './page-server.ts';

const route = 'POST /v1/chat/completions';

let mock: MockGateway;
let page: any;
let url: string;
const cleanups: (() => unknown)[] = [];

/** A page with the component in strict mode, and a button that unmounts it. */
const pageOf = (component: string) => `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from ${JSON.stringify(component)};

function App() {
  const [isShown, setIsShown] = useState(true);
  return isShown && <><Chat /><button onClick={() => setIsShown(false)}>Close</button></>;
}

const main = document.body.appendChild(document.createElement('main'));
createRoot(main).render(<StrictMode><App /></StrictMode>);
`;

/** Bundles the component of the guide as a bundler of an app does, with the development build of React. */
async function bundleComponent(app: string): Promise<string> {
  const snippet = guides
    .filter(({ path }) => path === 'docs/react-and-nextjs.md')
    .flatMap((guide) => snippetsOf(guide))
    .find(({ title }) => title.endsWith(': The component'));
  const { outputFiles } = await build({
    stdin: {
      contents: pageOf(snippet?.file ?? ''),
      loader: 'jsx',
      resolveDir: import.meta.dirname,
    },
    nodePaths: [join(app, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"development"' },
    jsx: 'automatic',
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  const app = await createApp('react', [inject('tarball'), 'playwright-core@1.61.1']);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  mock = createMockGateway({ chunkDelayMs: 50 });
  const { baseURL, close } = await listen(mock);
  cleanups.push(close);
  const handler = createProxyHandler({ apiKey: mock.apiKey, baseURL, authorize: () => 'ann' });
  const server = await servePage(await bundleComponent(app), handler);
  cleanups.push(server.close);
  url = `http://127.0.0.1:${server.port}`;

  const { chromium } = (await load('playwright-core/index.js')).default;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  cleanups.push(() => browser.close());
  page = await (await browser.newContext()).newPage();
});

beforeEach(async () => {
  mock.clearFaults();
  mock.clearRecords();
  await page.goto(url);
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function ask(question: string): Promise<void> {
  await page.getByLabel('Question').fill(question);
  await page.getByRole('button', { name: 'Ask' }).click();
}

const answer = () => page.locator('p').first();
const chats = () => mock.requests.filter(({ path }) => path === '/v1/chat/completions');

test('the component of the guide shows a streamed answer, with one request in strict mode', async () => {
  await ask('Describe a harbour');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  expect(await answer().textContent()).toMatch(/^You said: Describe a harbour\. .*gateway\.$/);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(chats()).toHaveLength(1);
});

test('the component of the guide shows what has arrived of an answer that breaks off', async () => {
  mock.fail({ route, cutStreamAfter: 3 });
  await ask('Describe a harbour');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('The answer is incomplete.');
  expect(await answer().textContent()).toMatch(/^You said/);
  expect(chats()).toHaveLength(1);
});

test('the component of the guide ends its stream when it is unmounted', async () => {
  await ask('Describe a harbour '.repeat(50));
  await vi.waitFor(() => expect(mock.inFlight).toBe(1));
  await page.getByRole('button', { name: 'Close' }).click();
  await vi.waitFor(() => expect(mock.inFlight).toBe(0));
});

test('the component of the guide replaces an answer by that to a newer question', async () => {
  await ask('First '.repeat(30));
  await page.getByText('First').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ask('Second');
  await page.getByText('Second').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  expect(await answer().textContent()).toMatch(/^You said/);
  expect(await answer().textContent()).not.toContain('First');
});
