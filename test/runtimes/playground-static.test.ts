import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { commandLine, Program } from '../cli/program.ts';
import { run } from '../packaging/run.ts';
import { findBarriers, launchBrowser, overflows } from './playground-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let browser: any;

beforeAll(async () => {
  await run('npm', ['run', 'playground:build'], root);
  browser = await launchBrowser('chromium');
});

afterAll(() => browser?.close());

/** Runs `polygate playground`, and opens the page. */
async function open(path = '', options: Record<string, unknown> = {}) {
  const program = new Program(commandLine('polygate', ['playground', '--port', '0']));
  onTestFinished(() => void program.child.kill());
  const [, url = ''] = await program.printed(/is at (\S+)/);
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
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

test('the first view compares invoices that both gateways wrote, with one click and the keyboard', async () => {
  const { page, url, problems, requests } = await open();
  await page.getByRole('button', { name: 'Pull the plug' }).focus();
  await page.keyboard.press('Enter');
  const sides = page.locator('.plug-side');
  const textOf = (index: number) => sides.nth(index).innerText();
  await expect.poll(() => textOf(0), { timeout: 30_000 }).toMatch(/paid twice\s+\$0\.80$/);
  await expect.poll(() => textOf(1), { timeout: 30_000 }).toMatch(/paid once\s+\$0\.40$/);
  expect(await textOf(0)).toMatch(/no key\s+no response[^]*no key\s+202/);
  expect(await textOf(1)).toMatch(/same key \w+\s+202, the same task/);
  await page.getByText('One video: $0.80 against $0.40.').waitFor();
  const button = page.getByRole('button', { name: 'Pull it again' });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');

  await page.getByRole('radio', { name: 'Chat' }).check({ force: true });
  await button.click();
  await page.getByText("ConnectionError with outcome: 'unknown'").waitFor();
  await expect.poll(() => textOf(0), { timeout: 30_000 }).toContain('paid twice');
  expect(await textOf(1)).toContain('paid once, and reported');
  expect(await sides.nth(1).locator('.plug-attempts li').count()).toBe(1);
  expect(problems).toEqual([]);
  expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
});

test('a video survives a reload, and is charged once by the gateway in the page', async () => {
  const { page, problems } = await open('#video');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.locator('.job[data-state=running]').waitFor();
  await page.reload();
  await page.getByText('resumed from its receipt').waitFor();
  await page.locator('.job[data-state=succeeded] video').waitFor();
  await expect
    .poll(() => page.locator('video').evaluate(({ duration }: any) => duration), {
      timeout: 20_000,
    })
    .toBeGreaterThan(4);
  expect(await page.locator('.charge-summary').innerText()).toBe('1 charge, $0.10, none twice');
  expect(problems).toEqual([]);
});

test('chats run through the client and through the AI SDK without a server', async () => {
  const { page, problems } = await open('#chat');
  await page.getByRole('button', { name: 'Describe a harbor at dawn' }).click();
  await page.locator('.turn-assistant[data-state=done]').waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Through the AI SDK').check();
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.locator('.turn-foot', { hasText: 'AI SDK' }).waitFor();
  expect(await page.locator('.charge-summary').innerText()).toMatch(/^2 charges, .*none twice$/);
  expect(problems).toEqual([]);
});

test.each([390, 768, 1280, 1440, 1920])(
  'the first view is accessible at %i pixels, in light, dark and forced colors, and nothing overflows',
  async (width) => {
    const { page, problems } = await open('', { viewport: { width, height: 800 } });
    await page.getByRole('button', { name: 'Pull the plug' }).click();
    await page.getByText('paid twice').waitFor();
    for (const media of [
      { colorScheme: 'light' },
      { colorScheme: 'dark' },
      { colorScheme: 'dark', forcedColors: 'active' },
    ]) {
      await page.emulateMedia(media);
      const found = { media, overflows: await overflows(page), barriers: await findBarriers(page) };
      expect(found).toEqual({ media, overflows: false, barriers: [] });
    }
    expect(problems).toEqual([]);
  },
);

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
