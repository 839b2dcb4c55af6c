import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let browser: any;
let axe: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  // The playground brings the browser driver and the checker of accessibility; starting it installs them.
  await (await startPlayground()).close();
  const { resolve } = createRequire(at('../../playground/package.json'));
  axe = await readFile(resolve('axe-core/axe.min.js'), 'utf8');
  const { chromium } = (await import(resolve('playwright-core'))).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  closing.push(() => browser.close());
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** `npm run playground`, on a free port. */
async function startPlayground(env: Record<string, string> = {}) {
  const args = ['--import', at('../from-source.ts'), at('../../playground/start.ts')];
  const { POLYGATE_BASE_URL: _, POLYGATE_API_KEY: __, ...rest } = process.env;
  const child = spawn(process.execPath, args, {
    env: { ...rest, PORT: '0', NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  let said = '';
  child.stdout.on('data', (part: Buffer) => {
    said += String(part);
  });
  const url = await vi.waitFor(
    () => {
      const found = /Playground +(\S+)/.exec(said)?.[1];
      if (found === undefined) throw new Error(`It does not start: ${said}`);
      return found;
    },
    { timeout: 120_000, interval: 100 },
  );
  return { url, close };
}

/** The address of a playground that ends with its test. */
async function playground(env?: Record<string, string>): Promise<string> {
  const { url, close } = await startPlayground(env);
  onTestFinished(close);
  return url;
}

/** A fresh page on the playground, and all that it and the server said to each other. */
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
  const go = (place: string) => page.evaluate(`location.hash = '${place}'`);
  await page.getByRole('option', { name: 'aurora-chat' }).waitFor({ state: 'attached' });
  return { page, go, traffic, problems };
}

/** What axe finds that keeps people out. */
async function barriers(page: any): Promise<string[]> {
  const { violations } = await page.evaluate(`${axe}; axe.run()`);
  return violations
    .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: any) => `${id}: ${nodes[0].target}`);
}

test('a chat streams in, and can be stopped', async () => {
  const url = await playground();
  const { page, problems } = await openPage(url);
  await page.getByRole('button', { name: 'Describe a harbour at dawn' }).click();
  await page.locator('.turn-assistant[data-state=done]', { hasText: 'harbour' }).waitFor();
  expect(await page.locator('.turn-assistant .facts').innerText()).toMatch(
    /\d+ in, \d+ out.*\$0\.0000/,
  );

  await page.getByLabel('Message').fill('A long story about the sea. '.repeat(30));
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=streaming]', { hasText: 'story' }).waitFor();
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  await page.locator('.turn-assistant[data-state=stopped]').waitFor();
  await page.locator('.call').first().getByText('stopped').waitFor();
  expect(problems).toEqual([]);
});

test('a cut stream is shown as broken, and lost answers are found again for nothing', async () => {
  const url = await playground();
  const { page, go, problems } = await openPage(url);
  await page.getByLabel('Cut the stream').selectOption('once');
  await page.getByRole('button', { name: 'Describe a harbour at dawn' }).click();
  await page.getByText('StreamTruncatedError', { exact: true }).waitFor();

  await go('images');
  await page.getByLabel('Lose the answer').selectOption('once');
  await page.getByRole('button', { name: /^Draw/ }).click();
  await page.getByText('found by its key').waitFor();
  await page.locator('.call').first().getByText('202 replay').waitFor();
  expect(await page.locator('.call').first().locator('.attempt').first().innerText()).toBe(
    'no answer',
  );
  // The page goes, the order stays.
  await page.reload();
  await page.locator('.job[data-state=succeeded] img').waitFor();

  await go('video');
  await page.getByLabel('Unavailable').selectOption('once');
  await page.getByRole('button', { name: /^Film/ }).click();
  await page.locator('.call').first().getByText('202').waitFor();
  await page.locator('.job[data-state=succeeded] video').waitFor();
  const duration = () => page.evaluate(`document.querySelector('video').duration`);
  await vi.waitFor(async () => expect(await duration()).toBeGreaterThan(4), 10_000);
  expect(await page.locator('.verdict').innerText()).toBe('2 keys, 2 lines on the bill');
  expect(problems).toEqual([]);
});

test('a burst waits for its slots, and each picture is paid once', async () => {
  const url = await playground();
  const { page, go } = await openPage(url);
  await page.getByLabel('Too many requests').selectOption('once');
  await go('images');
  await page.getByRole('button', { name: 'Burst of 20' }).click();
  await page.locator('.slots-queued[data-busy=true]').waitFor();
  await page.locator('.job[data-state=succeeded]').nth(19).waitFor();
  expect(await page.locator('.verdict').innerText()).toBe('20 keys, 20 lines on the bill');
});

test('a person verifies in a page of their own, and the material then lives for two hours', async () => {
  const url = await playground();
  const { page, go } = await openPage(url);
  await go('materials');
  await page.getByLabel('A real person is in it').check();
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
])('nobody is kept out at $width pixels, in light or in dark', async (viewport) => {
  const url = await playground();
  const { page, go } = await openPage(url, { viewport });
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=done]').waitFor();
  await go('images');
  await page.getByRole('button', { name: /^Draw/ }).click();
  await page.locator('.job[data-state=succeeded] img').waitFor();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const place of places) {
      await go(place);
      await page.locator(`.shell[data-place=${place}]`).waitFor();
      const found = {
        colorScheme,
        place,
        sideways: await sideways(page),
        barriers: await barriers(page),
      };
      expect(found).toEqual({ colorScheme, place, sideways: false, barriers: [] });
    }
  }
});

const places = ['chat', 'images', 'video', 'audio', 'voices', 'materials', 'wallet', 'lab'];

/** Whether one would have to scroll sideways. */
const sideways = (page: any): Promise<boolean> =>
  page.evaluate(
    `[document.documentElement, ...document.querySelectorAll('.stage, .control')]
      .some((box) => box.scrollWidth > box.clientWidth)`,
  );

test('a real gateway stands behind the page by its environment, and its key is nowhere', async () => {
  const key = 'sk-canary-of-the-playground';
  const mock = createMockGateway({ keys: [{ key }], tasks: { durationMs: 300 } });
  const gateway = await listen(mock);
  closing.push(() => gateway.close());
  const env = { POLYGATE_BASE_URL: gateway.baseURL, POLYGATE_API_KEY: key };
  const url = await playground(env);
  const { page, go, traffic } = await openPage(url);
  await page.getByText('cannot be told to misbehave').waitFor();
  await go('images');
  await page.getByRole('button', { name: /^Draw/ }).click();
  await page.locator('.job[data-state=succeeded] img').waitFor();
  const [{ headers } = { headers: {} }] = mock.requests.filter(({ method }) => method === 'POST');
  expect(headers).toMatchObject({ authorization: `Bearer ${key}` });
  expect(mock.invoice).toHaveLength(1);

  const held = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify(localStorage)',
  );
  const all = [...traffic, held].join('\n');
  expect([all.includes('prism-image'), all.includes(key)]).toEqual([true, false]);
});
