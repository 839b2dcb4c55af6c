import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchBrowser, openPage, servePlayground } from './playground-page.ts';

describe.each(['chromium', 'firefox'] as const)('the focus of the playground in %s', (kind) => {
  let browser: any;

  beforeAll(async () => {
    browser = await launchBrowser(kind);
  });

  afterAll(() => browser?.close());

  /** Opens a playground of its own. */
  const open = async (options?: Record<string, unknown>) =>
    openPage(browser, await servePlayground(), options);

  test('a removed job can be restored, and the focus never falls back to the page', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 860 } });
    await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
    const active = () =>
      page.evaluate('document.activeElement.className || document.activeElement.tagName');
    await expect.poll(active).toBe('thread-box');
    await page.locator('.turn-assistant[data-state=done]').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('message');

    await go('images');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.locator('.job[data-state=queued], .job[data-state=running]').waitFor();
    await page.getByRole('button', { name: /^Remove:/ }).click();
    await page.getByText('It continues at the gateway').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Undo');
    await page.keyboard.press('Enter');
    await page.locator('.job[data-state=succeeded] img').waitFor();
    expect(await page.locator('.charge-summary').innerText()).toMatch(/^2 charges, .*none twice$/);
  });

  test('at 1280 by 800 pixels, three calls are visible, and an opened one is scrolled into view', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 800 } });
    await go('images');
    for (let index = 0; index < 8; index += 1) {
      await page.getByRole('button', { name: /^Generate/ }).click();
    }
    await page.locator('.call').nth(7).waitFor();
    const isVisible = (index: number) =>
      page
        .locator('.call')
        .nth(index)
        .evaluate((row: any) => row.getBoundingClientRect().bottom <= window.innerHeight);
    await expect.poll(() => isVisible(2)).toBe(true);
    // Each poll of an image makes the details of its call longer.
    await page.locator('.job[data-state=succeeded]').nth(7).waitFor();
    await page.locator('.call-head').nth(3).focus();
    await page.keyboard.press('Enter');
    const top = () =>
      page
        .locator('.call[data-open=true]')
        .evaluate((row: any) => row.getBoundingClientRect().bottom <= window.innerHeight);
    await expect.poll(top).toBe(true);
  });
});
