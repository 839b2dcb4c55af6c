import { afterAll, beforeAll, expect, test } from 'vitest';

import { openSite } from './docs-site.ts';

let site: Awaited<ReturnType<typeof openSite>>;
let openPage: (typeof site)['openPage'];

beforeAll(async () => {
  site = await openSite();
  ({ openPage } = site);
});

afterAll(() => site.close());

test('"Playground" opens the playground, which leads back to the guides', async () => {
  const { page, problems } = await openPage('/guides/quick-start.html', {
    viewport: { width: 1440, height: 900 },
  });
  await page.locator('.VPNavBarMenu').getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('button', { name: 'Pull the plug' }).waitFor();
  await page.getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(page.url()).toBe(`${site.origin}/guides/`);
  expect(problems).toEqual([]);
});

test.each(['light', 'dark'])('views of the playground are accessible: %s', async (colorScheme) => {
  const viewport = { width: 390, height: 844 };
  for (const view of ['start', 'kill', 'budget', 'video', 'chat', 'wallet']) {
    const { page } = await openPage(`/playground/#${view}`, { colorScheme, viewport });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect({ view, barriers: await site.findBarriers(page) }).toEqual({ view, barriers: [] });
  }
});

test.each([712, 768, 896])('at %i pixels, the playground names its gateway', async (width) => {
  const viewport = { width, height: 1024 };
  const { page } = await openPage('/playground/#kill', { viewport });
  await page.locator('.slot').first().waitFor();
  const name = page.locator('.gateway-host');
  expect(await name.innerText()).toBe('Reference gateway');
  expect(await name.evaluate((one: any) => one.scrollWidth - one.clientWidth)).toBe(0);
});

test('on paper, a view of the playground is light, complete and without bars', async () => {
  const { page } = await openPage('/playground/#kill', { colorScheme: 'dark' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const bar of ['.top-bar', '.menu'])
    expect(await page.locator(bar).first().isVisible()).toBe(false);
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(
    'light',
  );
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.content')).overflowY"),
  ).toBe('visible');
});
