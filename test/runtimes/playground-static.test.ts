import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { commandLine, Program } from '../tools/cli/program.ts';
import { findBarriers, launchBrowser, noMedia, overflows } from './playground-page.ts';

let chromium: any;

beforeAll(async () => {
  chromium = await launchBrowser('chromium');
});

afterAll(() => chromium?.close());

/** Runs `polygate playground`, and opens the page. */
async function open(path = '', options: Record<string, unknown> = {}, browser = chromium) {
  const program = new Program(commandLine('polygate', ['playground', '--port', '0']));
  onTestFinished(() => void program.child.kill());
  const [, url = ''] = await program.printed(/is at (\S+)/);
  // Playwright cannot emulate media features in Firefox, which is launched with a preference for less motion.
  const media = browser === chromium ? { reducedMotion: 'reduce' } : noMedia;
  const context = await browser.newContext({ ...media, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', ({ message }: Error) => problems.push(message));
  page.on('console', (message: any) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request: any) => requests.push(request.url()));
  await page.goto(`${url}${path}`);
  return { program, page, url, problems, requests };
}

/**
 * Clicks "Kill" as soon as polygate has results, and requests without a response. It runs in the page, where nothing can
 * happen between the check and the click.
 */
const killInTheMiddle = `new Promise((resolve) => {
  const [, polygate] = document.querySelectorAll('.batch-side');
  const count = (cell) => polygate.querySelectorAll('[data-cell=' + cell + ']').length;
  const check = () => {
    if (count('done') < 1 || count('sent') < 2) return requestAnimationFrame(check);
    document.querySelector('.kill-button').click();
    resolve();
  };
  check();
})`;

/** Reloads the page as soon as a job is running, from within the page: otherwise, the job could end before the reload. */
const reloadDuringJob = `new Promise((resolve) => {
  const check = () => {
    if (!document.querySelector('.job[data-state=running]')) return requestAnimationFrame(check);
    // The caller gets its result before the page is gone.
    setTimeout(() => location.reload(), 500);
    resolve();
  };
  check();
})`;

describe.each(['chromium', 'firefox'] as const)('in %s', (kind) => {
  let browser: any;

  beforeAll(async () => {
    browser = kind === 'chromium' ? chromium : await launchBrowser(kind);
  });

  afterAll(() => (browser === chromium ? undefined : browser?.close()));

  test('the first view compares invoices that both gateways wrote, with one click and the keyboard', async () => {
    const { page, url, problems, requests } = await open('', {}, browser);
    await page.getByRole('button', { name: 'Pull the plug' }).focus();
    await page.keyboard.press('Enter');
    const sides = page.locator('.plug-side');
    const textOf = (index: number) => sides.nth(index).innerText();
    await expect.poll(() => textOf(0)).toMatch(/paid twice\s+\$0\.80$/);
    await expect.poll(() => textOf(1)).toMatch(/paid once\s+\$0\.40$/);
    expect(await textOf(0)).toMatch(/no key\s+no response[^]*no key\s+202/);
    expect(await textOf(1)).toMatch(/same key \w+\s+202, the same task/);
    await page.getByText('One video: $0.80 against $0.40.').waitFor();
    const again = page.getByRole('button', { name: 'Pull it again' });
    await expect.poll(() => again.getAttribute('aria-disabled')).toBe('false');

    // The results of a video say nothing about a chat.
    await page.getByRole('radio', { name: 'Chat' }).check({ force: true });
    for (const index of [0, 1])
      await expect.poll(() => textOf(index)).toMatch(/Nothing has been sent\.[^]*\s\$0\.00$/);
    await page.getByRole('button', { name: 'Pull the plug' }).click();
    await page.getByText("ConnectionError with outcome: 'unknown'").waitFor();
    await expect.poll(() => textOf(0)).toContain('paid twice');
    expect(await textOf(1)).toContain('paid once, and reported');
    expect(await sides.nth(1).locator('.plug-attempts li').count()).toBe(1);
    expect(problems).toEqual([]);
    expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
  });

  test('a batch that is killed continues from its journal, and each image is on the invoice once', async () => {
    const { page, url, problems, requests } = await open('', {}, browser);
    await page.getByRole('tab', { name: 'Pull the plug' }).focus();
    await page.keyboard.press('ArrowRight');
    const [usual, polygate] = ['A usual script', 'polygate'].map((name) =>
      page.getByRole('article', { name, exact: true }),
    );
    await page.getByRole('button', { name: 'Run 24 images' }).focus();
    await page.keyboard.press('Enter');
    await page.evaluate(killInTheMiddle);
    await expect.poll(() => usual.innerText()).toContain('Killed');
    expect(await usual.innerText()).toMatch(/Images\s+0 of 24/);
    expect(await polygate.innerText()).toMatch(/Killed[^]*Images\s+[1-9]\d? of 24/);

    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText(/24 images: \$0\.\d+ against \$0\.48\./).waitFor();
    const [, again = '', twice = ''] =
      /without a key\s+(\d+)[^]*24 images\s+\$0\.48\s+\d+ of them again[^]*?(\d+) paid twice/.exec(
        await usual.innerText(),
      ) ?? [];
    expect(Number(twice)).toBeGreaterThan(0);
    expect(again).toBe(twice);
    expect(await polygate.innerText()).toMatch(
      /with the same key\s+[1-6]\s[^]*24 images\s+\$0\.48\s+each paid once\s+\$0\.48$/,
    );
    expect(problems).toEqual([]);
    expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
  });

  test('a batch with a budget pauses below it, and continues when it is raised', async () => {
    const { page, problems } = await open('', {}, browser);
    await page.getByRole('tab', { name: 'Set a budget' }).click();
    await page.getByRole('radio', { name: '$0.15' }).check({ force: true });
    await page.getByRole('button', { name: 'Run 24 images' }).click();
    const raise = page.getByRole('button', { name: 'Raise the budget to $0.50' });
    await raise.waitFor();
    const invoice = page.getByRole('article', { name: 'The budget', exact: true });
    expect(await invoice.innerText()).toMatch(
      /budget of \$0\.15: 7 images\s+\$0\.14\s+never over the budget\s+\$0\.14$/,
    );
    await raise.click();
    await page.getByText('$0.48 of $0.50.').waitFor();
    expect(await invoice.innerText()).toMatch(
      /7 images\s+\$0\.14\s+With a budget of \$0\.50: 17 images\s+\$0\.34\s+never over the budget\s+\$0\.48$/,
    );
    expect(problems).toEqual([]);
  });

  test('a video survives a reload, and is charged once by the gateway in the page', async () => {
    const { page, problems } = await open('#video', {}, browser);
    await page.getByRole('button', { name: /^Generate/ }).click();
    await page.evaluate(reloadDuringJob);
    await page.getByText('resumed from its receipt').waitFor();
    await page.locator('.job[data-state=succeeded] video').waitFor();
    await expect
      .poll(() => page.locator('video').evaluate(({ duration }: any) => duration))
      .toBeGreaterThan(4);
    expect(await page.locator('.charge-summary').innerText()).toBe('1 charge, $0.10, none twice');
    expect(problems).toEqual([]);
  });

  test('chats run through the client and through the AI SDK without a server', async () => {
    const { page, problems } = await open('#chat', {}, browser);
    await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
    await page.locator('.turn-assistant[data-state=done]').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Through the AI SDK').check();
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.locator('.turn-foot', { hasText: 'AI SDK' }).waitFor();
    expect(await page.locator('.charge-summary').innerText()).toMatch(/^2 charges, .*none twice$/);
    expect(problems).toEqual([]);
  });

  test('the tabs and the address agree, also after the back button', async () => {
    const { page, problems } = await open('', {}, browser);
    const tab = (name: string, selected = false) => page.getByRole('tab', { name, selected });
    await tab('Kill a batch').click();
    await page.waitForURL(/#kill$/);
    await page.getByRole('heading', { level: 1, name: 'The process is killed' }).waitFor();
    await tab('Set a budget').click();
    await page.waitForURL(/#budget$/);
    // In Firefox, `page.goBack()` waits for another document.
    await page.evaluate(() => history.back());
    await tab('Kill a batch', true).waitFor();
    await page.evaluate(() => history.back());
    await tab('Pull the plug', true).waitFor();
    // The package has no documentation next to the page.
    expect(await page.getByRole('link', { name: 'Docs' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test.each([
    ['#kill', 'Kill a batch'],
    ['#budget', 'Set a budget'],
  ])('a link to %s opens the scene "%s"', async (fragment, name) => {
    const { page, problems } = await open(fragment, {}, browser);
    await page.getByRole('tab', { name, selected: true }).waitFor();
    await page.getByRole('button', { name: 'Run 24 images' }).waitFor();
    expect(problems).toEqual([]);
  });
});

test.each([390, 768, 1280, 1440, 1920])(
  'the scenes are accessible at %i pixels, in light, dark and forced colors, and nothing overflows',
  async (width) => {
    const { page, problems } = await open('', { viewport: { width, height: 800 } });
    await page.getByRole('button', { name: 'Pull the plug' }).click();
    await page.getByText('paid twice').waitFor();
    await expectNoBarriers(page);
    await page.getByRole('tab', { name: 'Kill a batch' }).click();
    await page.getByRole('button', { name: 'Run 24 images' }).click();
    await page.evaluate(killInTheMiddle);
    await expectNoBarriers(page);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('each paid once').waitFor();
    await expectNoBarriers(page);
    const tooNarrow: number[] = await page.locator('.cells i').evaluateAll((cells: any[]) =>
      cells.flatMap((cell) => {
        const mark = cell.ownerDocument.createRange();
        mark.selectNodeContents(cell);
        const { width: needed } = mark.getBoundingClientRect();
        return needed > cell.clientWidth ? [needed] : [];
      }),
    );
    expect(tooNarrow).toEqual([]);
    await page.getByRole('tab', { name: 'Set a budget' }).click();
    await page.getByRole('button', { name: 'Run 24 images' }).click();
    await page.getByText('never over the budget').waitFor();
    await expectNoBarriers(page);
    expect(problems).toEqual([]);
  },
);

test('on a phone, both totals are above the menu', async () => {
  const { page } = await open('', { viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: 'Pull the plug' }).click();
  await page.getByText('paid twice').waitFor();
  const menu = await page.locator('.menu').boundingBox();
  for (const total of await page.locator('.plug-total').all()) {
    const { y, height } = await total.boundingBox();
    expect(y + height).toBeLessThanOrEqual(menu.y);
  }
});

test.each([390, 768, 1280, 1440, 1920])(
  'at %i pixels, each row of cards above the invoice is complete',
  async (width) => {
    const { page } = await open('#wallet', { viewport: { width, height: 800 } });
    await page.getByText('Charged by the gateway').waitFor();
    const rights: number[] = await page
      .locator('.totals > div')
      .evaluateAll((cards: any[]) => cards.map((card) => card.getBoundingClientRect().right));
    expect(rights).toHaveLength(4);
    expect(rights.at(-1)).toBeCloseTo(Math.max(...rights), 0);
  },
);

async function expectNoBarriers(page: any): Promise<void> {
  for (const media of [
    { colorScheme: 'light', forcedColors: 'none' },
    { colorScheme: 'dark', forcedColors: 'none' },
    { colorScheme: 'dark', forcedColors: 'active' },
  ]) {
    await page.emulateMedia(media);
    const found = { media, overflows: await overflows(page), barriers: await findBarriers(page) };
    expect(found).toEqual({ media, overflows: false, barriers: [] });
    const levels: number[] = await page
      .locator(':is(h1, h2, h3, h4)')
      .evaluateAll((headings: any[]) => headings.map(({ tagName }) => Number(tagName[1])));
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  }
}

test('the command serves only its files, on loopback, and ends with Ctrl-C', async () => {
  const { program, url } = await open();
  expect(new URL(url).hostname).toBe('127.0.0.1');
  for (const path of ['package.json', '..%2fcli.js', '%2e%2e/cli.js', 'assets', 'assets/']) {
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  }
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  program.child.kill('SIGINT');
  await expect.poll(() => program.child.exitCode).toBe(0);
});
