import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { eventually } from '../support/eventually.ts';
import {
  findBarriers,
  launchBrowser,
  openPage,
  overflows,
  servePlayground,
} from './playground-page.ts';

describe.each(['chromium', 'firefox'] as const)('the playground in %s', (kind) => {
  let browser: any;

  beforeAll(async () => {
    browser = await launchBrowser(kind);
  });

  afterAll(() => browser?.close());

  /** Opens a playground of its own. */
  const open = async (options?: Record<string, unknown>) =>
    openPage(browser, await servePlayground(), options);

  test('the details of a recovered call agree with the invoice', async () => {
    const { page, go, problems } = await open({ viewport: { width: 1280, height: 860 } });
    await go('images');
    await page.getByLabel('Lose the response').selectOption('once');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.getByText('recovered by key').waitFor();
    const call = page.locator('.call').first();
    await call.locator('.call-head').getByText(/poll/).waitFor();
    await call.locator('.call-head').click();
    expect(await call.locator('.call-head .attempt').allInnerTexts()).toEqual([
      'no response',
      '202 replay',
      expect.stringMatching(/^\d+ polls?$/),
    ]);
    expect(await call.locator('.call-head .money').innerText()).toBe('$0.02');
    expect(await call.locator('.call-charge').innerText()).toMatch(
      /^Charged once: \$0\.02, by attempt 1, whose response was lost\. Attempt 2 .* at no charge\.$/,
    );
    const attempts = call.locator('.timeline').first().locator('.timeline-item');
    expect(await attempts.count()).toBe(2);
    expect(await attempts.nth(0).locator('summary').innerText()).toMatch(
      /no response\s+charged \$0\.02\s+\d+ ms/,
    );
    expect(await attempts.nth(1).innerText()).toMatch(/ later[^]*202 replay\s+\d+ ms/);
    expect(await attempts.nth(1).innerText()).not.toContain('charged');

    await attempts.nth(0).locator('summary').first().click();
    await attempts.nth(0).getByText('"prompt": "A harbor').waitFor();
    await attempts
      .nth(0)
      .getByText(/^None: .*ECONNRESET/)
      .waitFor();
    await attempts.nth(0).getByText('Request headers').click();
    expect(await attempts.nth(0).locator('.headers').innerText()).toContain('Bearer (hidden)');
    await attempts.nth(1).locator('summary').first().click();
    await attempts.nth(1).getByText('"task_id": "task_').waitFor();
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    await call.getByRole('button', { name: 'Copy all as JSON' }).click();
    await call.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('JSON.parse(window.copied).attempts.length')).toBe(2);
    expect(await findBarriers(page)).toEqual([]);

    await go('wallet');
    await page.getByRole('heading', { name: 'Balance and charges' }).waitFor();
    expect(await page.locator('tbody tr .money').allInnerTexts()).toEqual(['$0.02']);
    expect(await page.locator('.charge-summary').innerText()).toBe('1 charge, $0.02, none twice');
    expect(problems).toEqual([]);
  });

  test('new calls wait while details are open, and the filters show failures and charges', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 860 } });
    await go('images');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.locator('.job[data-state=succeeded]').waitFor();
    const head = page.locator('.call-head').first();
    await head.click();
    const before = await head.boundingBox();
    await page.getByLabel('Insufficient balance').selectOption('once');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await head.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await page.locator('.call').first().getByText('402').waitFor();

    await page.locator('.call[data-open=true] .call-head').click();
    await page.getByLabel('Failures 1').check();
    expect(await page.locator('.call .call-attempts').allInnerTexts()).toEqual(['402']);
    await page.getByLabel('Charged 1').check();
    expect(await page.locator('.call-head .money').allInnerTexts()).toEqual(['$0.02']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Nothing has been charged.').waitFor();
  });

  test('a failed job is compact, and offers to try again only where it can help', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 860 } });
    await go('images');
    await page.getByLabel('Insufficient balance').selectOption('once');
    await page.getByRole('button', { name: /^Generate/ }).click();
    const refused = page.locator('.job', { hasText: 'PaymentRequiredError' });
    await refused.getByRole('link', { name: 'Open the balance' }).waitFor();
    expect(await refused.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect((await refused.boundingBox()).height).toBeLessThan(140);

    await page.getByLabel('Lose the response').selectOption('always');
    await page.getByRole('button', { name: /^Generate/ }).click();
    const unknown = page.locator('.job', { hasText: 'charged at most once' });
    await unknown.waitFor();
    const text = await unknown.innerText();
    expect(text.match(/may have been/g)).toHaveLength(1);
    await page.getByLabel('Lose the response').selectOption('off');
    await unknown.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('recovered by key').waitFor();
    expect(await page.locator('.charge-summary').innerText()).toBe('1 charge, $0.02, none twice');
  });

  test('results open in a lightbox that the keyboard controls, and can be downloaded', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 860 } });
    await go('images');
    for (const prompt of ['A lighthouse', 'A ferry', 'A pier']) {
      await page.getByLabel('Prompt').fill(prompt);
      await page.getByRole('button', { name: /^Generate/ }).click();
    }
    await page.locator('.job[data-state=succeeded] img').nth(2).waitFor();
    const image = page.getByRole('button', { name: 'A ferry', exact: true });
    await image.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 of 3').waitFor();
    await dialog.getByRole('img', { name: 'A ferry' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('img', { name: 'A lighthouse' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('img', { name: 'A pier' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await dialog.getByRole('img', { name: 'A ferry' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    // The focus never reaches the page below the dialog.
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      const active = `document.activeElement === document.body || !!document.activeElement.closest('dialog')`;
      expect(await page.evaluate(active)).toBe(true);
    }
    // The shortcuts of the page do not work in the dialog.
    await page.keyboard.press('1');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('location.hash')).toBe('#images');
    const focused = `document.activeElement.querySelector('img')?.alt ?? document.activeElement.outerHTML`;
    expect(await page.evaluate(focused)).toBe('A ferry');

    const link = page.getByRole('link', { name: 'Download: A ferry' });
    expect(await link.getAttribute('download')).toBe('a-ferry.png');
    const url = await link.getAttribute('href');
    expect((await page.request.get(new URL(url, page.url()).href)).status()).toBe(200);

    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    const copy = page.getByRole('button', { name: 'Copy the URL: A ferry' });
    await copy.click();
    // In the page, because it is there for two seconds only.
    await page.locator('[title=Copied]').waitFor();
    expect(await page.evaluate('window.copied')).toBe(new URL(url, page.url()).href);
    await expect.poll(() => copy.getAttribute('title')).toBe('Copy the URL');
  });

  test('the wallet can be topped up, and reset after a confirmation', async () => {
    const { page, go } = await open({ viewport: { width: 1280, height: 860 } });
    await go('images');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.locator('.call').first().getByText('202').waitFor();
    await go('wallet');
    const balance = page.locator('.totals-balance .totals-value');
    const expectBalance = (text: string) =>
      eventually(async () => expect(await balance.innerText()).toBe(text));
    await expectBalance('$24.98');
    await page.getByRole('button', { name: 'Add $5.00' }).click();
    await expectBalance('$29.98');
    expect(await page.locator('.balance').innerText()).toContain('$29.98');

    const reset = page.getByRole('button', { name: 'Reset …' });
    await reset.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await balance.innerText()).toBe('$29.98');
    await reset.click();
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await expectBalance('$25.00');
    expect(await page.locator('tbody tr').count()).toBe(0);
    expect(await page.locator('.totals-value').allInnerTexts()).toEqual([
      '$25.00',
      '$0.00',
      '$0.00',
      expect.any(String),
    ]);
    expect(await page.locator('.charge-summary').innerText()).toBe('No charges yet');
  });

  test('the keys 1 to 9 open the views, except in a text field, and can be turned off', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 860 } });
    await page.locator('.content').focus();
    for (const [key, view] of [
      ['3', 'images'],
      ['8', 'wallet'],
      ['9', 'lab'],
      ['1', 'start'],
      ['2', 'chat'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`.shell[data-view=${view}]`).waitFor();
    }
    await expect.poll(() => page.title()).toBe('Chat · polygate playground');
    await page.getByLabel('Message').fill('Version ');
    await page.getByLabel('Message').press('2');
    expect(await page.getByLabel('Message').inputValue()).toMatch(/2$/);
    expect(await page.evaluate('location.hash')).toBe('#chat');

    await page.getByRole('button', { name: 'All shortcuts' }).click();
    await page.getByRole('switch', { name: 'Shortcuts of a single key' }).uncheck();
    await page.keyboard.press('Escape');
    await page.locator('.content').focus();
    await page.keyboard.press('3');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('location.hash')).toBe('#chat');
  });

  test('at 390 pixels, nothing overflows, no word breaks and no badge covers an icon', async () => {
    const { page, go } = await open({ viewport: { width: 390, height: 844 } });
    await go('images');
    for (let index = 0; index < 12; index += 1) {
      await page.getByRole('button', { name: /^Generate/ }).click();
    }
    await page.locator('.menu .count').waitFor();
    expect(await page.evaluate(findMenuFaults)).toEqual([]);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Balance', exact: true }).click();
    await page.locator('.shell[data-view=wallet]').waitFor();
    await page.locator('#more-views').waitFor({ state: 'hidden' });
    for (const view of ['start', 'chat', 'images', 'audio', 'materials', 'wallet', 'lab']) {
      await go(view);
      await page.locator(`.shell[data-view=${view}]`).waitFor();
      expect([view, await overflows(page)]).toEqual([view, false]);
    }
    await go('images');
    await page.getByRole('link', { name: 'Latest call' }).click();
    await page.locator('.call-head').first().click();
    await page.locator('.timeline summary').first().click();
    await page.locator('.exchange').waitFor();
    expect([await overflows(page), await findBarriers(page)]).toEqual([false, []]);
  });
});

/** Lists the menu entries that are too small for a thumb, whose words break, or whose badge covers the icon. */
const findMenuFaults = `(() => {
  const faults = [];
  for (const link of document.querySelectorAll('.menu-list .menu-link')) {
    const box = link.getBoundingClientRect();
    if (box.width === 0) continue;
    const label = link.querySelector('span');
    if (box.width < 44 || box.height < 44) faults.push(label.textContent + ' is small');
    if (link.scrollWidth > link.clientWidth) faults.push(label.textContent + ' overflows');
    const range = document.createRange();
    range.selectNodeContents(label);
    const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size;
    if (lines > label.textContent.split(' ').length) faults.push(label.textContent + ' breaks');
    const badge = link.querySelector('.count')?.getBoundingClientRect();
    const icon = link.querySelector('svg').getBoundingClientRect();
    if (badge && badge.left < icon.right && badge.right > icon.left && badge.top < icon.bottom) {
      faults.push(label.textContent + ' has a badge on its icon');
    }
    if (badge && (badge.right > box.right || badge.top < box.top)) faults.push('clipped badge');
  }
  return faults;
})()`;
