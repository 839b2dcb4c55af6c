import { afterAll, beforeAll, expect, test } from 'vitest';

import { pageOf, redirects, urlOf } from '../../docs/.vitepress/pages.ts';
import { namespaces } from '../../scripts/api-names.ts';
import { contents } from '../../scripts/contents.ts';
import { openSite, sitePages } from './docs-site.ts';

let site: Awaited<ReturnType<typeof openSite>>;
let origin: string;
let openPage: (typeof site)['openPage'];

beforeAll(async () => {
  site = await openSite();
  ({ origin, openPage } = site);
});

afterAll(() => site.close());

const phone = { width: 390, height: 844 };

test('no page scrolls sideways on a phone, and code that is too wide scrolls in its own box', async () => {
  // Scripts do not change the layout, and pages load faster without them.
  const { page, problems } = await openPage('/', { viewport: phone, javaScriptEnabled: false });
  const tooWide: string[] = [];
  // Replaced pages only lead to others.
  for (const path of sitePages().filter((one) => !redirects.has(one.slice(1)))) {
    await page.goto(origin + path, { waitUntil: 'load' });
    const isClean = await page.evaluate(`
      document.documentElement.scrollWidth <= innerWidth &&
      [...document.querySelectorAll('.vp-doc pre, .vp-doc table')].every((box) =>
        box.getBoundingClientRect().right <= innerWidth &&
        (box.scrollWidth <= box.clientWidth || getComputedStyle(box).overflowX === 'auto'))`);
    if (isClean !== true) tooWide.push(path);
  }
  expect(tooWide).toEqual([]);
  expect(problems).toEqual([]);
}, 300_000);

test.each([1280, 1439, 1440, 1500, 1559, 1560, 1920])(
  'at %i pixels, the sidebar is complete and the bar has a margin',
  async (width) => {
    const { page } = await openPage('/guides/errors.html', { viewport: { width, height: 900 } });
    const box = (selector: string) => page.locator(selector).first().boundingBox();
    const link = await box('.VPSidebar .VPSidebarItem.is-link .text');
    expect(link.x).toBeGreaterThanOrEqual(32);
    const sidebar = await box('.VPSidebar');
    expect(sidebar.width).toBeGreaterThanOrEqual(264);
    const text = await box('.vp-doc h1');
    expect(text.x).toBeGreaterThanOrEqual(sidebar.x + sidebar.width);
    const theme = await box('.VPNavBarAppearance button');
    expect(theme.x + theme.width).toBeLessThanOrEqual(width - 24);
  },
);

test('the theme follows the system, and a switch changes it for good', async () => {
  const { page } = await openPage('/guides/errors.html', { colorScheme: 'light' });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.locator('.VPNavBarAppearance button').click();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await ground()).toBe(dark);
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(
    'dark',
  );
});

test('previous and next links lead through all guides', async () => {
  const guides = contents().map(({ path }) => urlOf(pageOf(path) ?? ''));
  const { page } = await openPage(guides[0] ?? '');
  for (const [index, guide] of guides.slice(1).entries()) {
    await page.locator('.pager-link.next').click();
    await page.waitForURL(origin + guide);
    await page.locator(`.pager-link.prev[href="${guides[index]}"]`).waitFor();
    expect(await page.locator('.VPSidebarItem.is-active').count()).toBe(1);
  }
});

test('inline code in a guide links to the export that it names', async () => {
  const { page } = await openPage('/guides/errors.html');
  await page
    .locator('.vp-doc p a', { hasText: /^PolygateError$/ })
    .first()
    .click();
  await page.waitForURL('**/api/polygate/classes/PolygateError.html');
  const code = page.locator('.reference .vp-doc pre').first();
  expect(await code.innerText()).toBe("import { PolygateError } from 'polygate';");
});

test.each([
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
])('pages are accessible, and their headings are in order: $colorScheme', async (options) => {
  for (const path of [
    '/',
    '/guides/',
    '/guides/quick-start.html',
    '/guides/errors.html',
    '/api/polygate/classes/Polygate.html',
    '/api/polygate/interfaces/Images.html',
    '/404.html',
  ]) {
    const { page } = await openPage(path, options);
    expect({ path, barriers: await site.findBarriers(page) }).toEqual({ path, barriers: [] });
    const levels: number[] = await page
      .locator('.vp-doc :is(h1, h2, h3, h4, h5, h6)')
      .evaluateAll((found: any[]) =>
        found.filter((one) => one.checkVisibility()).map(({ tagName }) => Number(tagName[1])),
      );
    const steps = levels.map((level, index) => level - (levels[index - 1] ?? 0));
    expect({ path, skipped: steps.filter((step) => step > 1) }).toEqual({ path, skipped: [] });
    expect(levels.filter((level) => level === 1)).toEqual([1]);
  }
});

test('before scripts run, the theme switch has a name, and copy buttons are visible', async () => {
  const { page } = await openPage('/guides/quick-start.html', { javaScriptEnabled: false });
  await page.getByRole('switch', { name: 'Dark theme' }).first().waitFor();
  const opacities = await page
    .locator('button.copy')
    .evaluateAll((all: any[]) => all.map((one) => getComputedStyle(one).opacity));
  expect(new Set(opacities)).toEqual(new Set(['1']));
});

test('an address without a page offers a search and the main pages', async () => {
  const { page } = await openPage('/guides/nothing.html');
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.locator('.not-found').getByRole('button', { name: 'Search' }).click();
  await page.locator('.VPLocalSearchBox input').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.not-found').getByRole('link', { name: 'All guides' }).click();
  await page.waitForURL(`${origin}/guides/`);
  expect(await page.title()).toContain('polygate');
});

test('the addresses of replaced pages lead to the new ones', async () => {
  const { page } = await openPage('/');
  for (const [path, url] of redirects) {
    await page.goto(`${origin}/${path}#a-heading`);
    await page.waitForURL(`${origin}${url}#a-heading`);
    expect(await page.title()).not.toContain('moved');
  }
});

test('on paper, there are no bars, and code wraps, also from the dark theme', async () => {
  const { page } = await openPage('/guides/quick-start.html', {
    colorScheme: 'dark',
    viewport: { width: 794, height: 1123 },
  });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const bar of ['.VPNav', '.VPSidebar', '.VPLocalNav', '.VPDocFooter', 'button.copy'])
    expect(await page.locator(bar).first().isVisible()).toBe(false);
  expect(
    await page
      .locator('.vp-doc pre')
      .evaluateAll((all: any[]) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
  ).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
    'rgb(255, 255, 255)',
  );
  // Space below the last line could become an empty page.
  expect(
    await page.evaluate(
      `document.documentElement.scrollHeight -
        document.querySelector('.vp-doc > div > :last-child').getBoundingClientRect().bottom`,
    ),
  ).toBeLessThanOrEqual(32);
});

test('the buttons of the bar have names that say what they open, and links to files have no arrow', async () => {
  for (const [width, name] of [
    [390, 'Main menu'],
    [768, 'Appearance'],
  ] as const) {
    const { page } = await openPage('/', { viewport: { width, height: 844 } });
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('switch').first().waitFor();
    const arrow = await page
      .locator('.home-footer a', { hasText: 'MIT license' })
      .evaluate((link: any) => getComputedStyle(link, '::after').content);
    expect(arrow).toBe('none');
  }
});

test('on a phone, a drawing is as wide as its text needs, and scrolls', async () => {
  const { page } = await openPage('/guides/payment-safety.html', { viewport: phone });
  const drawing = page.locator('.vp-doc p > img').first();
  expect((await drawing.boundingBox()).width).toBeGreaterThanOrEqual(600);
  const box = drawing.locator('..');
  expect(await box.evaluate((one: any) => getComputedStyle(one).overflowX)).toBe('auto');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
});

test('on paper, the table of the benchmarks has all its columns', async () => {
  const viewport = { width: 718, height: 1000 };
  const { page } = await openPage('/guides/benchmarks.html', { viewport });
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
});

test.each(['light', 'dark'])('inline code has a visible ground: %s', async (colorScheme) => {
  const { page } = await openPage('/guides/quick-start.html', { colorScheme });
  const luminance = await page.evaluate(`(() => {
    const context = document.createElement('canvas').getContext('2d');
    const parts = (color) => {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((part) => (part / 255) ** 2.2);
    };
    return [document.body, document.querySelector('.vp-doc p code')]
      .map((one) => parts(getComputedStyle(one).backgroundColor))
      .map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
  })()`);
  expect(Math.max(...luminance) / Math.min(...luminance)).toBeGreaterThan(1.15);
});

test('headings in the outline of a page are not cut off', async () => {
  const viewport = { width: 1440, height: 900 };
  const { page } = await openPage('/guides/batches.html', { viewport });
  const links = page.locator('.VPDocAsideOutline .outline-link');
  expect(await links.count()).toBeGreaterThan(5);
  const cut = await links.evaluateAll((all: any[]) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText),
  );
  expect(cut).toEqual([]);
});

test('the page of each namespace begins with an example and its methods', async () => {
  const { page } = await openPage('/', { javaScriptEnabled: false });
  for (const name of Object.keys(namespaces)) {
    await page.goto(`${origin}/api/polygate/interfaces/${name}.html`);
    const first = await page.locator('.vp-doc pre').first().innerText();
    expect(first).toContain('gateway.');
    expect(first).not.toContain('import type');
    const titles: string[] = await page.locator('.vp-doc h2').allInnerTexts();
    const sections = titles.map((title) => title.replaceAll(/[^A-Za-z ]/g, '').trim());
    expect(sections[0]).toBe('Example');
    expect(sections.at(-1)).toBe('Type');
    expect(sections).not.toContain('Extends');
  }
});

test('the site loads nothing from other origins', () => {
  expect(
    Array.from(site.requested).filter((other) => other !== origin && other !== 'null'),
  ).toEqual([]);
  expect(site.requested).toContain(origin);
});
