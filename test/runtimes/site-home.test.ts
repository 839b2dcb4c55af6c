import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openSite } from './docs-site.ts';
import { launchBrowser } from './playground-page.ts';

let site: Awaited<ReturnType<typeof openSite>>;
let browser: any;
let origin: string;
let openPage: (typeof site)['openPage'];

beforeAll(async () => {
  site = await openSite();
  ({ browser, origin, openPage } = site);
});

afterAll(() => site.close());

describe.each(['chromium', 'firefox'] as const)('the home page in %s', (kind) => {
  let opened: any;

  beforeAll(async () => {
    opened = kind === 'chromium' ? browser : await launchBrowser(kind);
  });

  afterAll(() => (opened === browser ? undefined : opened?.close()));

  test('shows with one click that the lost response is charged once', async ({ annotate }) => {
    const openedAt = performance.now();
    const { page, problems } = await openPage('/', {}, opened);
    const sides = page.locator('.pull-the-plug .plug-side');
    const [usual, polygate] = [sides.nth(0), sides.nth(1)];
    await polygate.waitFor();
    expect(await polygate.innerText()).not.toContain('paid once');
    await page.locator('.pull-the-plug').getByRole('button', { name: 'Pull the plug' }).click();
    await polygate.getByText('paid once').waitFor();
    await usual.getByText('paid twice').waitFor();
    const seconds = (performance.now() - openedAt) / 1_000;
    await annotate(
      `From opening the page to "paid once" and "paid twice": ${seconds.toFixed(1)} s`,
    );
    expect(problems).toEqual([]);
  });

  test.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])('shows both totals at $width × $height without scrolling', async (viewport) => {
    const { page } = await openPage('/', { viewport }, opened);
    await page.locator('.pull-the-plug').getByRole('button', { name: 'Pull the plug' }).click();
    await page.getByText('paid twice').waitFor();
    const totals = page.locator('.pull-the-plug .plug-total');
    expect(await totals.allInnerTexts()).toEqual([
      expect.stringMatching(/paid twice\s+\$0\.80/),
      expect.stringMatching(/paid once\s+\$0\.40/),
    ]);
    for (const total of await totals.all()) {
      const { y, height } = await total.boundingBox();
      expect(y + height).toBeLessThanOrEqual(viewport.height);
    }
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(viewport.width);
    const install = page.locator('.hero div[class*=language-]');
    expect(await install.locator('code').innerText()).toBe('npm i polygate');
    expect(await install.locator('button.copy').isVisible()).toBe(true);
  });

  test.each([
    ['Kill a batch', '#kill', 'Run 24 images'],
    ['Set a budget', '#budget', 'Run 24 images'],
    ['Reload during a video', '#video', 'Generate'],
  ])('leads to "%s" with one click, and loads it only then', async (name, fragment, button) => {
    const { page, problems, requests } = await openPage('/', {}, opened);
    const ofPlayground = requests.filter((path) => path.startsWith('/playground/'));
    expect(ofPlayground.filter((path) => path !== '/playground/pull-the-plug.js')).toEqual([]);
    await page.locator('.pull-the-plug').getByRole('link', { name }).click();
    await page.waitForURL(`${origin}/playground/${fragment}`);
    await page.getByRole('button', { name: button }).first().waitFor();
    expect(problems).toEqual([]);
  });
});

test.each([390, 768, 1280])(
  'at %i pixels, both invoices are aligned, and no line leaves its side',
  async (width) => {
    const { page } = await openPage('/', { viewport: { width, height: 844 } });
    const plug = page.locator('.pull-the-plug');
    const edges = (selector: string): Promise<number[][]> =>
      plug.locator(selector).evaluateAll((all: any[]) =>
        all.map((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return [top, bottom];
        }),
      );
    for (const kind of ['Video', 'Image', 'Chat']) {
      await plug.getByRole('radio', { name: kind }).check({ force: true });
      await plug.locator('.plug-button').click();
      await page.getByText('paid twice').waitFor();
      for (const part of ['.plug-side', '.plug-invoice', '.plug-total']) {
        const [left, right] = await edges(part);
        expect({ kind, part, edges: left }).toEqual({ kind, part, edges: right });
      }
      const outside: string[] = await plug
        .locator('.plug-side :is(li, span, p, strong, .wire)')
        .evaluateAll((all: any[]) =>
          all
            .filter(
              (one) =>
                one.getBoundingClientRect().right >
                one.closest('.plug-side').getBoundingClientRect().right,
            )
            .map((one) => one.textContent),
        );
      expect({ kind, outside }).toEqual({ kind, outside: [] });
    }
  },
);

test('on a phone, a row of the comparison is a sentence, and no unit is on another line than its number', async () => {
  const { page } = await openPage('/', { viewport: { width: 390, height: 844 } });
  const first = page.locator('.home > table td').first();
  const prefix = await first.evaluate((cell: any) => getComputedStyle(cell, '::before').content);
  expect(prefix).toBe('"If "');
  const text: string = await page.locator('main.home').innerText();
  expect(text).toMatch(/\d\u{a0}ms\b/u);
  expect(text).not.toMatch(/\d (?:ms|s|KiB)\b/);
});
