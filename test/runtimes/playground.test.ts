import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let browser: any;
let axe: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  // Playwright and axe are dependencies of the playground, which installs them when it starts.
  await (await startPlayground()).close();
  const { resolve } = createRequire(resolvePath('../../playground/package.json'));
  axe = await readFile(resolve('axe-core/axe.min.js'), 'utf8');
  const { chromium } = (await import(resolve('playwright-core'))).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  cleanups.push(() => browser.close());
});

afterAll(async () => {
  for (const close of cleanups.toReversed()) await close();
});

/** Runs `npm run playground` on a free port. */
async function startPlayground(env: Record<string, string> = {}) {
  const args = [
    '--import',
    resolvePath('../from-source.ts'),
    resolvePath('../../playground/start.ts'),
  ];
  const { POLYGATE_BASE_URL: _, POLYGATE_API_KEY: __, ...rest } = process.env;
  const child = spawn(process.execPath, args, {
    env: { ...rest, PORT: '0', NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += String(part);
  });
  const url = await vi.waitFor(
    () => {
      const address = /Playground +(\S+)/.exec(output)?.[1];
      if (address === undefined) throw new Error(`The playground does not start: ${output}`);
      return address;
    },
    { timeout: 120_000, interval: 100 },
  );
  return { url, close };
}

/** Starts a playground for one test and returns its URL. */
async function servePlayground(env?: Record<string, string>): Promise<string> {
  const { url, close } = await startPlayground(env);
  onTestFinished(close);
  return url;
}

/** Opens the playground in a new browser context and records its traffic and errors. */
async function openPage(url: string, options: Record<string, unknown> = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const traffic: string[] = [];
  const problems: string[] = [];
  page.on('pageerror', (error: Error) => problems.push(error.message));
  page.on('console', (message: any) => traffic.push(message.text()));
  page.on('request', async (request: any) => {
    traffic.push(request.url(), request.postData() ?? '');
    traffic.push(JSON.stringify(await request.allHeaders().catch(() => '')));
  });
  page.on('response', async (response: any) => {
    traffic.push(JSON.stringify(await response.allHeaders().catch(() => '')));
    traffic.push(await response.text().catch(() => ''));
  });
  await page.goto(url);
  const go = (view: string) => page.evaluate(`location.hash = '${view}'`);
  await page.getByRole('option', { name: 'aurora-chat' }).waitFor({ state: 'attached' });
  return { page, go, traffic, problems };
}

/** Returns serious and critical accessibility violations. */
async function findBarriers(page: any): Promise<string[]> {
  const { violations } = await page.evaluate(`${axe}; axe.run()`);
  return violations
    .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: any) => `${id}: ${nodes[0].target}`);
}

test('a chat streams and can be stopped', async () => {
  const url = await servePlayground();
  const { page, problems } = await openPage(url);
  await page.getByRole('button', { name: 'Describe a harbour at dawn' }).click();
  await page.locator('.turn-assistant[data-state=done]', { hasText: 'harbour' }).waitFor();
  expect(await page.locator('.turn-assistant .meta').innerText()).toMatch(
    /\d+ input, \d+ output tokens.*\$0\.0000/,
  );

  await page.getByLabel('Message').fill('A long story about the sea. '.repeat(30));
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=streaming]', { hasText: 'story' }).waitFor();
  await page.getByRole('button', { name: 'Stop generating' }).click();
  await page.locator('.turn-assistant[data-state=stopped]').waitFor();
  await page.locator('.call').first().getByText('aborted').waitFor();
  expect(problems).toEqual([]);
});

test('a truncated stream is shown as an error, and lost responses are recovered at no charge', async () => {
  const url = await servePlayground();
  const { page, go, problems } = await openPage(url);
  await page.getByLabel('Truncate the stream').selectOption('once');
  await page.getByRole('button', { name: 'Describe a harbour at dawn' }).click();
  await page.getByText('StreamTruncatedError', { exact: true }).waitFor();

  await go('images');
  await page.getByLabel('Lose the response').selectOption('once');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.getByText('recovered by key').waitFor();
  await page.locator('.call').first().getByText('202 replay').waitFor();
  expect(await page.locator('.call').first().locator('.attempt').first().innerText()).toBe(
    'no response',
  );
  // Jobs survive a reload.
  await page.reload();
  await page.locator('.job[data-state=succeeded] img').waitFor();

  await go('video');
  await page.getByLabel('Unavailable').selectOption('once');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.locator('.call').first().getByText('202').waitFor();
  await page.locator('.job[data-state=succeeded] video').waitFor();
  const duration = () => page.evaluate(`document.querySelector('video').duration`);
  await vi.waitFor(async () => expect(await duration()).toBeGreaterThan(4), 10_000);
  expect(await page.locator('.charge-summary').innerText()).toBe('2 keys, 2 charges');
  expect(problems).toEqual([]);
});

test('through the AI SDK, a truncated stream is reported as useChat reports it, and charged once', async () => {
  const url = await servePlayground();
  const { page, go, problems } = await openPage(url);
  await page.getByLabel('Through the AI SDK').check();
  await page.getByLabel('Truncate the stream').selectOption('once');
  await page.getByRole('button', { name: 'Describe a harbour at dawn' }).click();
  const response = page.locator('.turn-assistant').last();
  await response.getByText('status: error').waitFor();
  expect(await response.locator('.turn-text').innerText()).toMatch(/^You said/);
  expect(await response.getByRole('alert').innerText()).toMatch(/StreamTruncatedError: .* charged/);
  expect(await page.locator('.ai-sdk-status .tag').innerText()).toBe('error');
  expect(await page.locator('.call .attempt').allInnerTexts()).toEqual(['truncated']);
  await go('wallet');
  expect(await page.locator('tbody tr').count()).toBe(1);

  await go('chat');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.locator('.turn-assistant[data-state=done]', { hasText: 'harbour' }).waitFor();
  expect(await response.locator('.meta').innerText()).toMatch(
    /AI SDK.*\d+ input, \d+ output tokens.*\$0\.0000/,
  );
  await page.getByLabel('Message').fill('A long story about the sea. '.repeat(30));
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=streaming]', { hasText: 'story' }).waitFor();
  await page.getByRole('button', { name: 'Stop generating' }).click();
  await page.locator('.turn-assistant[data-state=stopped]').waitFor();
  await page.locator('.call').first().getByText('aborted').waitFor();
  expect(await page.locator('.ai-sdk-status .tag').innerText()).toBe('ready');
  expect(problems).toEqual([]);
});

test('a burst of requests queues for slots, and each image is charged once', async () => {
  const url = await servePlayground();
  const { page, go } = await openPage(url);
  await page.getByLabel('Too many requests').selectOption('once');
  await go('images');
  await page.getByRole('button', { name: 'Burst of 20' }).click();
  await page.locator('.slots-queued[data-busy=true]').waitFor();
  await page.locator('.job[data-state=succeeded]').nth(19).waitFor();
  expect(await page.locator('.charge-summary').innerText()).toBe('20 keys, 20 charges');
});

test('a person verifies on a separate page, and the material is then available for two hours', async () => {
  const url = await servePlayground();
  const { page, go } = await openPage(url);
  await go('materials');
  await page.getByLabel('It shows a real person').check();
  await page.getByRole('button', { name: 'Register' }).click();
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the identity check' }).click();
  const check = await opened;
  await check.getByRole('button', { name: 'Complete verification' }).click();
  await check.getByRole('heading', { name: 'Thank you' }).waitFor();
  await page.getByText(/^1:59:\d\d left$/).waitFor();
  expect(await page.locator('.uri').innerText()).toMatch(/^asset:/);
});

test.each([
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
])('the playground is accessible at $width pixels, in light and dark themes', async (viewport) => {
  const url = await servePlayground();
  const { page, go } = await openPage(url, { viewport });
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=done]').waitFor();
  await page.getByLabel('Through the AI SDK').check();
  await go('lab');
  await page.getByLabel('Truncate the stream').selectOption('once');
  await go('chat');
  await page.getByLabel('Message').fill('Hello again');
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=failed]').waitFor();
  await go('images');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.locator('.job[data-state=succeeded] img').waitFor();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const view of views) {
      await go(view);
      await page.locator(`.shell[data-view=${view}]`).waitFor();
      const found = {
        colorScheme,
        view,
        overflows: await overflows(page),
        barriers: await findBarriers(page),
      };
      expect(found).toEqual({ colorScheme, view, overflows: false, barriers: [] });
    }
  }
});

const views = ['chat', 'images', 'video', 'audio', 'voices', 'materials', 'wallet', 'lab'];

/** Whether anything requires horizontal scrolling. */
const overflows = (page: any): Promise<boolean> =>
  page.evaluate(
    `[document.documentElement, ...document.querySelectorAll('.content, .control')]
      .some((box) => box.scrollWidth > box.clientWidth)`,
  );

test('with a real gateway in the environment, the page uses it and never receives its API key', async () => {
  const key = 'sk-canary-playground';
  const mock = createMockGateway({ keys: [{ key }], tasks: { durationMs: 300 } });
  const gateway = await listen(mock);
  cleanups.push(() => gateway.close());
  const env = { POLYGATE_BASE_URL: gateway.baseURL, POLYGATE_API_KEY: key };
  const url = await servePlayground(env);
  const { page, go, traffic } = await openPage(url);
  await page.getByText('faults cannot be injected').waitFor();
  await go('images');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.locator('.job[data-state=succeeded] img').waitFor();
  const [{ headers } = { headers: {} }] = mock.requests.filter(({ method }) => method === 'POST');
  expect(headers).toMatchObject({ authorization: `Bearer ${key}` });
  expect(mock.invoice).toHaveLength(1);

  const stored = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify(localStorage)',
  );
  const all = [...traffic, stored].join('\n');
  expect([all.includes('prism-image'), all.includes(key)]).toEqual([true, false]);
});
