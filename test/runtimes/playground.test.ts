import { afterAll, beforeAll, expect, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';
import { eventually } from '../support/eventually.ts';
import {
  findBarriers,
  launchBrowser,
  openPage,
  overflows,
  servePlayground,
  startPlayground,
} from './playground-page.ts';

let browser: any;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  browser = await launchBrowser('chromium');
  cleanups.push(() => browser.close());
});

afterAll(async () => {
  for (const close of cleanups.toReversed()) await close();
});

test('a chat streams and can be stopped', async () => {
  const url = await startPlayground();
  const { page, problems } = await openPage(browser, url);
  await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
  await page.locator('.turn-assistant[data-state=done]', { hasText: 'harbor' }).waitFor();
  expect(await page.locator('.turn-assistant .meta').innerText()).toMatch(
    /\d+ input, \d+ output tokens.*\$0\.000/,
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
  const { page, go, problems } = await openPage(browser, url);
  await page.getByLabel('Truncate the stream').selectOption('once');
  await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
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
  await eventually(async () => expect(await duration()).toBeGreaterThan(4));
  expect(await page.locator('.charge-summary').innerText()).toMatch(
    /^3 charges, \$0\.12\d*, none twice$/,
  );
  expect(problems).toEqual([]);
});

test('through the AI SDK, a truncated stream is reported as useChat reports it, and charged once', async () => {
  const url = await servePlayground();
  const { page, go, problems } = await openPage(browser, url);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Through the AI SDK').check();
  await page.getByLabel('Truncate the stream').selectOption('once');
  await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
  const response = page.locator('.turn-assistant').last();
  await response.getByText('StreamTruncatedError', { exact: true }).waitFor();
  expect(await response.locator('.turn-text').innerText()).toMatch(/^Before the sun/);
  expect(await response.getByRole('alert').innerText()).toMatch(/may have been charged/);
  expect(await page.locator('.ai-sdk-status .tag').innerText()).toBe('error');
  expect(await page.locator('.call .attempt').allInnerTexts()).toEqual(['truncated']);
  await go('wallet');
  expect(await page.locator('tbody tr').count()).toBe(1);

  await go('chat');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.turn-assistant[data-state=done]', { hasText: 'harbor' }).waitFor();
  expect(await response.locator('.meta').innerText()).toMatch(
    /AI SDK.*\d+ input, \d+ output tokens.*\$0\.000/,
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
  const { page, go } = await openPage(browser, url);
  await page.getByLabel('Too many requests').selectOption('once');
  await go('images');
  await page.getByRole('button', { name: 'Burst of 20' }).click();
  // Four of them hold a slot.
  await page.locator('.slots-queued[data-busy=true]', { hasText: '+16' }).waitFor();
  await page.locator('.job[data-state=succeeded]').nth(19).waitFor();
  expect(await page.locator('.charge-summary').innerText()).toBe('20 charges, $0.40, none twice');
});

test('a person verifies on a separate page, and the material is then available for two hours', async () => {
  const url = await servePlayground();
  const { page, go } = await openPage(browser, url);
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
  const { page, go } = await openPage(browser, url, { viewport });
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.turn-assistant[data-state=done]').waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
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

const views = ['start', 'chat', 'images', 'video', 'audio', 'voices', 'materials', 'wallet', 'lab'];

test('with a real gateway in the environment, the page uses it and never receives its API key', async () => {
  const key = 'sk-canary-playground';
  const mock = createMockGateway({ keys: [{ key }], tasks: { durationMs: 300 } });
  const gateway = await listen(mock);
  cleanups.push(() => gateway.close());
  const env = { POLYGATE_BASE_URL: gateway.baseURL, POLYGATE_API_KEY: key };
  const url = await startPlayground(env);
  const { page, go, traffic } = await openPage(browser, url);
  await page.getByText('faults cannot be injected').waitFor();
  await go('images');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.locator('.job[data-state=succeeded] img').waitFor();
  const [{ headers } = { headers: {} }] = mock.requests.filter(({ method }) => method === 'POST');
  expect(headers).toMatchObject({ authorization: `Bearer ${key}` });
  expect(mock.invoice).toHaveLength(1);
  await go('wallet');
  await page.getByText('Only the reference gateway provides its invoice').waitFor();
  expect(await page.getByRole('button', { name: /^(Add|Reset)/ }).count()).toBe(0);

  const stored = await page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify(localStorage)',
  );
  const all = [...traffic, stored].join('\n');
  expect([all.includes('prism-image'), all.includes(key)]).toEqual([true, false]);
});
