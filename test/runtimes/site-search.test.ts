import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadSearch, openSite } from './docs-site.ts';

let site: Awaited<ReturnType<typeof openSite>>;
let index: Awaited<ReturnType<typeof loadSearch>>;

beforeAll(async () => {
  site = await openSite();
  index = await loadSearch();
});

afterAll(() => site.close());

/** What users search for, and the page that has to be the first result, before its own sections. */
test.each([
  ['429', 'errors'],
  ['402', 'errors'],
  ['abort', 'timeouts'],
  ['api key', 'client-options'],
  ['audio', 'images-video-and-audio'],
  ['balance', 'costs'],
  ['base url', 'client-options'],
  ['batch', 'batches'],
  ['budget', 'costs'],
  ['cancel', 'timeouts'],
  ['changelog', 'changelog'],
  ['charged twice', 'payment-safety'],
  ['CLI', 'command-line'],
  ['corporate proxy', 'runtimes'],
  ['cost', 'costs'],
  ['crash', 'batches'],
  ['deadline', 'timeouts'],
  ['double charge', 'payment-safety'],
  ['embeddings', 'faq'],
  ['fallback', 'fallback'],
  ['function calling', 'structured-output-and-tools'],
  ['hooks', 'hooks'],
  ['idempotency key', 'payment-safety'],
  ['install', 'quick-start'],
  ['journal', 'batches'],
  ['kill -9', 'batches'],
  ['logging', 'logging'],
  ['maxUsd', 'costs'],
  ['MCP', 'mcp'],
  ['mock', 'testing'],
  ['msw', 'testing'],
  ['music', 'images-video-and-audio'],
  ['OpenRouter', 'faq'],
  ['OpenTelemetry', 'observability'],
  ['proxy', 'browsers-and-proxy'],
  ['queue', 'many-machines'],
  ['rate limit', 'errors'],
  ['React', 'react-and-nextjs'],
  ['receipt', 'payment-safety'],
  ['redis', 'many-machines'],
  ['reference image', 'images-video-and-audio'],
  ['retry', 'payment-safety'],
  ['save image', 'images-video-and-audio'],
  ['stream', 'streaming'],
  ['text to speech', 'images-video-and-audio'],
  ['timeout', 'timeouts'],
  ['tokens', 'costs'],
  ['tools', 'structured-output-and-tools'],
  ['undici', 'runtimes'],
  ['upgrade', 'changelog'],
  ['upload file', 'materials'],
  ['usage', 'costs'],
  ['Vercel', 'serverless-and-edge'],
  ['video from image', 'images-video-and-audio'],
  ['vision', 'faq'],
  ['voice clone', 'voices'],
])('a search for %s finds the page %s first', (words, page) => {
  const [first] = index.find(words);
  expect(first?.id).toMatch(new RegExp(`^/guides/${page}\\.html#`));
  expect(first?.titles).toEqual([]);
});

/** What only a part of a page is about, or the API reference. */
test.each([
  ['BatchOptions', /^\/api\/polygate\/interfaces\/BatchOptions.html/],
  ['Cloudflare Workers', /guides\/(?:runtimes|serverless-and-edge).html/],
  ['gateway.chat.completions.create', /^\/api\/polygate\/interfaces\/ChatCompletions.html/],
  ['images.generate', /^\/api\/polygate\/interfaces\/Images.html/],
  ['LangChain', /guides\/other-libraries.html/],
  ['outcome', /guides\/errors.html#outcome/],
  ['spreadsheet', /guides\/command-line.html/],
  ['Temporal', /guides\/other-engines.html/],
  ['webhook', /guides\/faq.html#can-i-cancel-a-task-or-get-a-webhook/],
  ['videos.submit', /^\/api\/polygate\/interfaces\/Videos.html/],
])('the first result of a search for %s is %s', (words, expected) => {
  expect(index.find(words)[0]?.id).toMatch(expected);
});

test('sections of the home page, the list of guides and the skill are no results', () => {
  expect(index.entries.length).toBeGreaterThan(300);
  expect(index.entries.filter((id) => /^\/(?:#|guides\/#|skills|playground)/.test(id))).toEqual([]);
});

test('the box shows the same results, opens them, and is empty after a reload', async () => {
  const { page, problems } = await site.openPage('/guides/quick-start.html');
  const open = page.locator('.VPNavBarSearch button');
  const input = page.locator('.VPLocalSearchBox input');
  const results = page.locator('.VPLocalSearchBox .result');
  for (const words of ['save image', '402', 'images.generate']) {
    await open.click();
    expect(await input.inputValue()).toBe('');
    await input.fill(words);
    // Results for the first letters may still be shown.
    const { id = '' } = index.find(words)[0] ?? {};
    await expect.poll(() => results.first().getAttribute('href')).toBe(id);
    await results.first().click();
    await page.waitForURL(site.origin + id);
  }
  await open.click();
  await input.fill('balance');
  await results.first().waitFor();
  await page.reload();
  await open.click();
  expect(await input.inputValue()).toBe('');
  expect(problems).toEqual([]);
});

test('while the index loads, the box says so, and not that there are no results', async () => {
  const { page } = await site.openPage('/guides/quick-start.html');
  let release = () => {};
  const isOpened = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/@localSearchIndexroot*', async (route: any) => {
    await isOpened;
    await route.continue();
  });
  await page.locator('.VPNavBarSearch button').click();
  await page.locator('.VPLocalSearchBox input').fill('balance');
  const list = page.locator('.VPLocalSearchBox .results');
  await list.getByText('Loading …').waitFor();
  expect(await list.innerText()).not.toContain('No results');
  release();
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  expect(await list.innerText()).not.toContain('Loading …');
});

test.each([
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
])('the box is accessible: $colorScheme, $viewport.width pixels', async (appearance) => {
  const { page } = await site.openPage('/guides/quick-start.html', appearance);
  await page.locator('.VPNavBarSearch button').click();
  const input = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox');
  await input.waitFor();
  expect(await site.findBarriers(page)).toEqual([]);
  await input.fill('balance');
  const options = page.getByRole('option');
  const [first, second] = [options.nth(0), options.nth(1)];
  await first.getByText('Costs and limits').waitFor();
  await page.locator('.VPLocalSearchBox .excerpt').first().waitFor();
  expect(await site.findBarriers(page)).toEqual([]);
  expect(await first.getAttribute('aria-selected')).toBe('true');
  await input.press('ArrowDown');
  expect(await input.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'));
  await input.fill('zzqxqy');
  await page.getByText('No results for').waitFor();
  expect(await site.findBarriers(page)).toEqual([]);
});
