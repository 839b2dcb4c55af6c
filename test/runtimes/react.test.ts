/** The components of the guides, in a page, with the packages that a reader installs. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import type { MockGateway } from 'polygate/mock';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { guides, snippetsOf } from '../docs/guides.ts';
import { createApp } from '../packaging/app.ts';
import { eventually } from '../support/eventually.ts';
import { servePage } from './page-server.ts';

const route = 'POST /v1/chat/completions';
const packages = [
  'react',
  'react-dom',
  'ai',
  '@ai-sdk/react',
  '@ai-sdk/provider',
  '@ai-sdk/openai-compatible',
] as const;

let app: string;
let mock: MockGateway;
let page: any;
/** The pages of the two guides. */
const urls = { react: '', useChat: '' };
const cleanups: (() => unknown)[] = [];

/** A page with a component in strict mode, and a button that unmounts it. */
const pageOf = (component: string) => `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import ${component};

function App() {
  const [isShown, setIsShown] = useState(true);
  return isShown && <><Component /><button onClick={() => setIsShown(false)}>Close</button></>;
}

const main = document.body.appendChild(document.createElement('main'));
createRoot(main).render(<StrictMode><App /></StrictMode>);
`;

/** Copies a snippet of a guide into the app. */
async function copySnippet(title: string, name: string): Promise<string> {
  const snippet = guides
    .flatMap((guide) => (title.startsWith(guide.path) ? snippetsOf(guide) : []))
    .find((candidate) => candidate.title === title);
  const file = join(app, name);
  await copyFile(snippet?.file ?? '', file);
  return file;
}

/** Bundles a page as a bundler of an app does, with the development build of React. */
async function bundlePage(component: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: pageOf(component), loader: 'jsx', resolveDir: app },
    define: { 'process.env.NODE_ENV': '"development"' },
    jsx: 'automatic',
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  const installed = packages.map((name) => `${name}@${manifest.devDependencies[name]}`);
  app = await createApp('react', [inject('tarball'), 'playwright-core@1.61.1', ...installed]);
  const load = (path: string) => import(pathToFileURL(join(app, 'node_modules', path)).href);
  const { createMockGateway } = await load('polygate/dist/mock/index.js');
  const { listen } = await load('polygate/dist/mock/node.js');
  const { createProxyHandler } = await load('polygate/dist/proxy/index.js');

  mock = createMockGateway({ chunkDelayMs: 50 });
  const { apiKey } = mock;
  const { baseURL, close } = await listen(mock);
  cleanups.push(close);

  await copySnippet('docs/react-and-nextjs.md: A chat', 'chat.tsx');
  const proxy = createProxyHandler({ apiKey, baseURL, authorize: () => 'ann' });
  const chat = await servePage(await bundlePage("{ Chat as Component } from './chat.tsx'"), proxy);
  cleanups.push(chat.close);
  urls.react = `http://127.0.0.1:${chat.port}`;

  vi.stubEnv('POLYGATE_BASE_URL', baseURL);
  vi.stubEnv('POLYGATE_API_KEY', apiKey);
  const file = await copySnippet('docs/ai-sdk.md: A chat in Next.js', 'route.ts');
  await copyFile(new URL('ai-sdk-page.tsx', import.meta.url), join(app, 'page.tsx'));
  const { POST } = await import(pathToFileURL(file).href);
  const useChat = await servePage(
    await bundlePage("Component from './page.tsx'"),
    POST,
    '/api/chat',
  );
  cleanups.push(useChat.close);
  urls.useChat = `http://127.0.0.1:${useChat.port}`;

  const { chromium } = (await load('playwright-core/index.js')).default;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  cleanups.push(() => browser.close());
  page = await (await browser.newContext()).newPage();
});

beforeEach(() => {
  mock.clearFaults();
  mock.clearRecords();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const chats = () => mock.requests.filter(({ path }) => path === '/v1/chat/completions');

describe('the component of the React guide', () => {
  beforeEach(async () => {
    await page.goto(urls.react);
    // The conversation of the last test.
    await page.evaluate('localStorage.clear()');
    await page.reload();
  });

  async function ask(question: string): Promise<void> {
    await page.getByLabel('Question').fill(question);
    await page.getByRole('button', { name: 'Ask' }).click();
  }

  const answer = () => page.locator('p.assistant').last();

  test('shows a streamed answer, with one request in strict mode', async () => {
    const stop = page.getByRole('button', { name: 'Stop' });
    // Before the question, because the button is there for a moment only.
    const isShown = stop.waitFor();
    await ask('Describe a harbor');
    await isShown;
    await stop.waitFor({ state: 'detached' });
    expect(await answer().textContent()).toMatch(/^You said: Describe a harbor\. .*not a model\.$/);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(chats()).toHaveLength(1);
  });

  test('shows what has arrived of an answer that breaks off', async () => {
    mock.fail({ route, cutStreamAfter: 3 });
    await ask('Describe a harbor');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/^The answer is incomplete\./);
    expect(await answer().textContent()).toMatch(/^You.*\(incomplete\)$/);
    expect(chats()).toHaveLength(1);
    mock.clearFaults();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('not a model.').waitFor();
    expect(await page.locator('p.assistant').count()).toBe(1);
    expect(chats()).toHaveLength(2);
  });

  test('ends its stream when it is unmounted', async () => {
    await ask('Describe a harbor '.repeat(50));
    await eventually(() => expect(mock.inFlight).toBe(1));
    await page.getByRole('button', { name: 'Close' }).click();
    await eventually(() => expect(mock.inFlight).toBe(0));
  });

  test('keeps an answer that was stopped, and shows that to a newer question', async () => {
    // So long that it cannot be complete before it is stopped.
    await ask('First '.repeat(300));
    await page.locator('p.assistant', { hasText: 'First' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await ask('Second');
    await page.locator('p.assistant', { hasText: 'Second' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await answer().textContent()).toMatch(/^You said/);
    expect(await answer().textContent()).not.toContain('incomplete');
    expect(await page.locator('p.assistant').first().textContent()).toContain('(incomplete)');
  });
});

describe('the page of the AI SDK guide, with useChat', () => {
  beforeEach(() => page.goto(urls.useChat));

  async function send(text: string): Promise<void> {
    await page.getByRole('textbox').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  const reply = () => page.locator('p', { hasText: 'assistant:' }).last();

  test('shows a streamed reply, with one request in strict mode', async () => {
    await send('Describe a harbor');
    await page.getByText('not a model.').waitFor();
    expect(await reply().textContent()).toMatch(/^assistant: You said: Describe a harbor\./);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(chats()).toHaveLength(1);
  });

  test('keeps what has arrived of a reply that breaks off, sends it once, and can continue', async () => {
    mock.fail({ route, cutStreamAfter: 3, times: 1 });
    await send('Describe a harbor');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('The reply is incomplete.');
    expect(await reply().textContent()).toMatch(/^assistant: You said/);
    expect(chats()).toHaveLength(1);
    await send('And a lighthouse');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('You said: And a lighthouse').waitFor();
    expect(chats()).toHaveLength(2);
  });

  test('reports an empty wallet without the message of the service', async () => {
    mock.setBalance(0);
    try {
      await send('Describe a harbor');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toBe(
        'The service is unavailable. We are on it.',
      );
    } finally {
      mock.setBalance(100);
    }
  });
});
