import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  findBarriers,
  launchBrowser,
  openPage,
  overflows,
  servePlayground,
} from './playground-page.ts';

const long = 'A long story about the sea. '.repeat(12);

const markdown = `Look:

- **bold** and \`code\`
- [docs](https://docs.example/) and [bad](javascript:document.title='hacked')

<img src=x onerror="document.title='hacked'"><script>document.title = 'hacked'</script>

\`\`\`ts
const sum = 1 + 1;
\`\`\`

Done`;

/** Sends a message with the keyboard. */
async function send(page: any, text: string): Promise<void> {
  const input = page.getByLabel('Message');
  // In Firefox, `fill` types, so that a line break would send the message.
  await input.evaluate((element: any, value: string) => {
    element.value = value;
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
  await input.press('Enter');
}

/** Sets a switch of the control room. It is on another view on narrow screens. */
async function inject(page: any, id: string): Promise<void> {
  const status = await page.evaluate(
    `fetch('/api/lab/switch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: '${id}', mode: 'once' }),
    }).then(({ status }) => status)`,
  );
  expect(status).toBe(204);
}

const responses = (page: any, state: string) =>
  page.locator(`.turn-assistant[data-state=${state}]`);

/** Whether the last element that matches is completely inside the conversation's visible part. */
const isInView = (page: any, selector: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const box = document.querySelector('.thread-box').getBoundingClientRect();
    const { top, bottom } = [...document.querySelectorAll('${selector}')].at(-1).getBoundingClientRect();
    return top >= box.top - 1 && bottom <= box.bottom + 1 && box.bottom <= innerHeight;
  })()`);

describe.each(['chromium', 'firefox'] as const)('the chat of the playground in %s', (kind) => {
  let browser: any;

  beforeAll(async () => {
    browser = await launchBrowser(kind);
  });

  afterAll(() => browser.close());

  test('keeps the newest turn in view, unless the user has scrolled up', async () => {
    const { page, problems } = await openPage(browser, await servePlayground());
    await page.setViewportSize({ width: 900, height: 420 });
    await send(page, long);
    await responses(page, 'done').waitFor();
    expect(await isInView(page, '.turn-foot')).toBe(true);

    await send(page, long);
    await responses(page, 'streaming').waitFor();
    await page.locator('.thread-box').hover();
    await page.mouse.wheel(0, -150);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await jump.waitFor();
    const position = () => page.evaluate(`document.querySelector('.thread-box').scrollTop`);
    const before = await position();
    await responses(page, 'done').nth(1).waitFor();
    expect(await position()).toBe(before);
    await jump.click();
    await jump.waitFor({ state: 'hidden' });
    await expect.poll(() => isInView(page, '.turn-foot')).toBe(true);

    await inject(page, 'insufficient-balance');
    await send(page, 'Hello');
    await responses(page, 'failed').waitFor();
    await expect.poll(() => isInView(page, '.problem')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('shows an error once, keeps the text received so far, and offers Try again only where it can help', async () => {
    const { page, problems } = await openPage(browser, await servePlayground());
    await inject(page, 'truncated-stream');
    await send(page, 'Describe a harbor');
    await responses(page, 'failed').waitFor();
    expect(await page.locator('.turn-text.prose').innerText()).toMatch(/^You said/);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByRole('status').innerText()).not.toMatch(/failed|Truncated/);
    const text: string = await page.getByRole('alert').innerText();
    expect(text.match(/charged/g)).toHaveLength(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await responses(page, 'done').waitFor();
    // The failed response stays, with its own charge.
    expect(await page.locator('.turn').count()).toBe(3);
    const metas: string[] = await page.locator('.turn-foot .meta').allInnerTexts();
    expect(metas[0]).toMatch(/\$0\.\d+.*incomplete.*sent again below$/);
    expect(metas[1]).toMatch(/\$0\.\d+$/);

    await inject(page, 'insufficient-balance');
    await send(page, 'And a boat');
    await responses(page, 'failed').nth(1).waitFor();
    await page.getByText('PaymentRequiredError', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test.each(['directly', 'through the AI SDK'])(
    'says that a chat which is sent again %s is paid twice, and keeps its first charge',
    async (way) => {
      const { page, problems } = await openPage(browser, await servePlayground());
      if (way !== 'directly') {
        await page.getByRole('button', { name: 'Settings' }).click();
        await page.getByLabel('Through the AI SDK').check();
      }
      await inject(page, 'lost-response');
      await send(page, 'Describe a harbor');
      await responses(page, 'failed').waitFor();
      const charges = page.locator('.turn-foot .meta');
      await charges.getByText(/\$0\.\d+$/).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await responses(page, 'done').waitFor();
      await charges
        .first()
        .getByText(/\$0\.\d+.*sent again below$/)
        .waitFor();
      await charges
        .last()
        .getByText(/\$0\.\d+$/)
        .waitFor();
      const summary = /^2 charges, .*, 1 chat paid twice: chats have no key$/;
      await page.locator('.charge-summary', { hasText: summary }).waitFor();

      await page.getByRole('button', { name: 'Regenerate' }).click();
      await charges
        .last()
        .getByText(/\$0\.\d+ in 2 charges$/)
        .waitFor();
      const three = /^3 charges, .*, 1 chat paid twice: chats have no key$/;
      await page.locator('.charge-summary', { hasText: three }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  test('renders Markdown, and neither HTML nor a link that runs code', async () => {
    const { page, problems } = await openPage(browser, await servePlayground());
    const title: string = await page.title();
    await send(page, markdown);
    await responses(page, 'done').waitFor();
    const prose = page.locator('.prose');
    expect(await prose.locator('strong').innerText()).toBe('bold');
    expect(await prose.locator('.code-block pre').innerText()).toContain('const sum = 1 + 1;');
    expect(await prose.locator('script, img').count()).toBe(0);
    expect(await prose.innerText()).toContain('<script>');
    const links = prose.locator('a');
    expect(await links.evaluateAll((all: any[]) => all.map(({ href }) => href))).toEqual([
      'https://docs.example/',
    ]);
    expect(await links.getAttribute('rel')).toContain('noopener');
    expect(await page.title()).toBe(title);
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { window.copied = text; }`,
    );
    await page.getByRole('button', { name: 'Copy the code block' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('window.copied')).toBe('const sum = 1 + 1;\n');
    await page.getByRole('button', { name: 'Copy the response' }).click();
    await expect.poll(() => page.evaluate('window.copied')).toContain('**bold**');
    expect(problems).toEqual([]);
  });

  test('sends the system prompt and the sampling settings, directly and through the AI SDK, and shows them as code', async () => {
    const { page, problems } = await openPage(browser, await servePlayground());
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('System prompt').fill('You are terse.');
    await page.getByLabel('Temperature').fill('0.4');
    await page.getByLabel('Top P').fill('7');
    await page.getByLabel('Max tokens').fill('5');
    await send(page, 'Tell me about the harbor at dawn, please');
    await responses(page, 'done').waitFor();
    expect(await page.locator('.turn-foot .meta').innerText()).toContain(' 5 output tokens');
    await page.getByRole('button', { name: 'View code' }).click();
    const code = page.locator('.dialog .code');
    expect(await code.innerText()).toContain("{ role: 'system', content: 'You are terse.' }");
    expect(await code.innerText()).toMatch(/temperature: 0\.4,\n {2}max_tokens: 5/);
    await page.getByRole('radio', { name: 'openai' }).check({ force: true });
    expect(await code.innerText()).toContain('openai.chat.completions.create({');
    await page.getByRole('radio', { name: 'curl' }).check({ force: true });
    expect(await code.innerText()).toMatch(/^curl --no-buffer "\$POLYGATE_BASE_URL\/v1\/chat/);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.getByLabel('Through the AI SDK').check();
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.locator('.turn-foot', { hasText: 'AI SDK' }).waitFor();
    expect(await page.locator('.turn-foot .meta').innerText()).toContain(' 5 output tokens');
    await page.getByRole('button', { name: 'View code' }).click();
    expect(await code.innerText()).toMatch(/streamText\(\{[^]*instructions: 'You are terse\.'/);
    expect(problems).toEqual([]);
  });

  test('has shortcuts that submit, stop, edit and move the focus', async () => {
    const { page, go, problems } = await openPage(browser, await servePlayground());
    await page.keyboard.press('/');
    await page.keyboard.type('First');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type(long);
    await page.keyboard.press('Enter');
    await responses(page, 'streaming').waitFor();
    expect(await page.locator('.turn-user .turn-text').innerText()).toMatch(/^First\nA long/);
    await page.keyboard.press('Escape');
    await responses(page, 'stopped').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Short?');
    await page.keyboard.press('Enter');
    await responses(page, 'done').waitFor();
    expect(await page.locator('.turn-user .turn-text').allInnerTexts()).toEqual(['Short?']);

    await go('images');
    await page.getByLabel('Prompt').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Enter');
    await page.locator('.job').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows the code of what a job, a voice and a material sent', async () => {
    const { page, go, traffic, problems } = await openPage(browser, await servePlayground());
    const code = page.locator('.dialog .code');
    const keys: string[] = [];
    const readCode = async (button: any, method: string) => {
      await button.click();
      const text: string = await code.innerText();
      expect(text).toContain(`gateway.${method}(`);
      keys.push(/idempotencyKey: '(page-[\w-]+)'/.exec(text)?.[1] ?? '');
      await page.keyboard.press('Escape');
      await code.waitFor({ state: 'detached' });
    };
    await go('images');
    await page.getByRole('button', { name: /^Generate/ }).click();
    await readCode(
      page.locator('.job').getByRole('button', { name: 'View code' }),
      'images.submit',
    );
    await go('voices');
    await page.getByRole('button', { name: /^Design/ }).click();
    await readCode(page.locator('.create-done button'), 'voices.design');
    await go('materials');
    await page.getByRole('button', { name: /^Register/ }).click();
    await readCode(page.locator('.create-done button'), 'materials.create');
    const sent = traffic.join('\n');
    const isSent = (key: string) => sent.includes(`idempotency-key":"${key}"`);
    expect(keys.map(isSent)).toEqual([true, true, true]);
    expect(problems).toEqual([]);
  });

  test.each([390, 768, 1280])(
    'fits a width of %i pixels, and is accessible in light and dark',
    async (width) => {
      const { page, problems } = await openPage(browser, await servePlayground());
      await page.setViewportSize({ width, height: 800 });
      await send(page, `${markdown} ${'x'.repeat(120)}`);
      await responses(page, 'done').waitFor();
      await inject(page, 'truncated-stream');
      await send(page, 'Describe a harbor');
      await responses(page, 'failed').waitFor();
      await page.getByRole('button', { name: 'Settings' }).click();
      for (const theme of ['light', 'dark']) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        expect({ theme, barriers: await findBarriers(page) }).toEqual({ theme, barriers: [] });
        expect(await overflows(page)).toBe(false);
      }
      expect(await isInView(page, '.turn-foot')).toBe(true);
      expect(problems).toEqual([]);
    },
  );
});
