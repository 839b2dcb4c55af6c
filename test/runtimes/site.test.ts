import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { pageOf, urlOf } from '../../docs/.vitepress/pages.ts';
import { contents } from '../../scripts/contents.ts';
import { eventually } from '../support/eventually.ts';
import { startServer } from './page-server.ts';
import { launchBrowser, noMedia } from './playground-page.ts';

const root = new URL('../../', import.meta.url);
const dist = new URL('docs/.vitepress/dist/', root);
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

let browser: any;
let axe: string;
let origin: string;
const requested = new Set<string>();
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const run = promisify(execFile);
  const cwd = fileURLToPath(root);
  await run('npm', ['run', 'docs'], { cwd });
  // Playwright and axe are dependencies of the playground.
  await run(process.execPath, ['playground/start.ts', '--install-only'], { cwd });
  const { resolve } = createRequire(new URL('playground/package.json', root));
  axe = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');
  const { chromium } = (await import(resolve('playwright-core'))).default;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  cleanups.push(() => browser.close());
  const { port, close } = await serveSite();
  cleanups.push(close);
  origin = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  for (const close of cleanups.toReversed()) await close();
});

/** Serves the built site as a plain file server would. */
function serveSite() {
  return startServer(({ url = '' }, response) => {
    const path = decodeURIComponent(new URL(url, origin).pathname).replace(/\/$/, '/index.html');
    try {
      const content = readFileSync(new URL(`.${path}`, dist));
      response.setHeader('content-type', types[extname(path)] ?? 'text/plain');
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
}

/** Opens a page in a new browser context, and records its errors and what it requests. */
async function openPage(path: string, options: Record<string, unknown> = {}, opened = browser) {
  const media = opened === browser ? { reducedMotion: 'reduce' } : noMedia;
  const context = await opened.newContext({ ...media, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error: Error) => problems.push(error.message));
  page.on('response', (response: any) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  const requests: string[] = [];
  page.on('request', (request: any) => {
    requested.add(new URL(request.url()).origin);
    requests.push(new URL(request.url()).pathname);
  });
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  return { page, problems, requests };
}

/** Returns serious and critical accessibility violations. */
async function findBarriers(page: any): Promise<string[]> {
  const { violations } = await page.evaluate(`${axe}; axe.run()`);
  return violations
    .filter(({ impact }: any) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }: any) => nodes.map(({ target }: any) => `${id}: ${target}`));
}

const pages = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => `/${path}`);

const viewport = { width: 390, height: 844 };

test('no page scrolls sideways on a phone, and code that is too wide scrolls in its own box', async () => {
  // Scripts do not change the layout, and pages load faster without them.
  const { page, problems } = await openPage('/', { viewport, javaScriptEnabled: false });
  const tooWide: string[] = [];
  for (const path of pages()) {
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

/** What users search for, and the pages of which one has to be the first result. */
test.each([
  ['402', /guides\/errors.html#paymentrequirederror$/],
  ['React', /guides\/react-and-nextjs.html/],
  ['logging', /guides\/logging.html/],
  ['proxy', /guides\/browsers-and-proxy.html/],
  ['batch', /guides\/batches.html/],
  ['cost', /guides\/costs.html/],
  ['cancel', /guides\/timeouts.html/],
  ['LangChain', /guides\/other-libraries.html/],
  ['images.generate', /api\/polygate\/interfaces\/Images.html/],
  ['gateway.chat.completions.create', /api\/polygate\/interfaces\/ChatCompletions.html/],
  ['videos.submit', /api\/polygate\/interfaces\/Videos.html/],
  ['BatchOptions', /api\/polygate\/interfaces\/BatchOptions.html/],
  ['timeout', /guides\/timeouts.html/],
  ['outcome', /guides\/errors.html#outcome/],
  ['OpenTelemetry', /guides\/observability.html/],
  ['stream', /guides\/streaming.html/],
  ['tools', /guides\/structured-output-and-tools.html/],
  ['Cloudflare Workers', /guides\/(?:runtimes|serverless-and-edge).html/],
  ['fallback', /guides\/fallback.html/],
  ['hooks', /guides\/hooks.html/],
  ['MCP', /guides\/mcp.html/],
  ['budget', /guides\/(?:costs|client-options).html/],
  ['receipt', /guides\/payment-safety.html/],
  ['webhook', /guides\/faq.html#can-i-cancel-a-task-or-be-called-when-it-is-done$/],
  ['undici', /guides\/runtimes.html/],
  ['idempotency key', /guides\/payment-safety.html#use-idempotency-keys$/],
  ['crash', /guides\/(?:payment-safety|batches).html/],
  ['retry', /guides\/payment-safety.html/],
  ['abort', /guides\/timeouts.html/],
  ['tokens', /guides\/costs.html#what-a-call-cost$/],
  ['voice clone', /guides\/voices.html/],
  ['corporate proxy', /guides\/runtimes.html/],
  ['Vercel', /guides\/serverless-and-edge.html/],
  ['charged twice', /guides\/(?:faq|payment-safety).html/],
  ['429', /guides\/errors.html#ratelimiterror/],
  ['deadline', /guides\/timeouts.html/],
  ['spreadsheet', /guides\/command-line.html/],
  ['Temporal', /guides\/other-engines.html/],
])('the first result of a search for %s is %s', async (words, expected) => {
  const { page, problems } = await openPage('/guides/quick-start.html');
  await page.locator('.VPNavBarSearch button').click();
  await page.locator('.VPLocalSearchBox input').fill(words);
  const results = page.locator('.VPLocalSearchBox .result');
  await results.first().waitFor();
  // Results for the first letters may still be shown.
  await eventually(async () => {
    expect(await results.first().getAttribute('href')).toMatch(expected);
  });
  await results.first().click();
  await page.waitForURL((url: URL) => expected.test(url.href));
  expect(problems).toEqual([]);
});

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

test.each(['light', 'dark'])('pages are accessible in the %s theme', async (colorScheme) => {
  for (const path of ['/', '/guides/errors.html', '/api/polygate/classes/Polygate.html']) {
    const { page } = await openPage(path, { colorScheme });
    expect({ path, barriers: await findBarriers(page) }).toEqual({ path, barriers: [] });
  }
});

test('the site loads nothing from other origins', () => {
  expect(Array.from(requested).filter((other) => other !== origin && other !== 'null')).toEqual([]);
  expect(requested).toContain(origin);
});
