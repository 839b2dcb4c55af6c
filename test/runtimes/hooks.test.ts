/** The React hooks of the packed package, in browsers, with pages that a server has rendered. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { launches } from './browsers.ts';
import { installedReact, startHooksSite } from './hooks-site.ts';
import type { HooksSite } from './hooks-site.ts';

const until = (assertion: () => unknown) =>
  vi.waitFor(assertion, { timeout: 60_000, interval: 20 });

describe.each([
  ['chromium', installedReact, 100],
  ['firefox', installedReact, 100],
  ['chromium', '18.3.1', 10],
] as const)('in %s with React %s', (kind, react, reloads) => {
  let site: HooksSite;
  let browser: any;
  let context: any;
  let output: string[];

  beforeAll(async () => {
    site = await startHooksSite(`hooks-${kind}-${react}`, react);
    browser = await site.playwright[kind].launch(launches[kind]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    output = [];
    context = await browser.newContext({ viewport: null });
    site.mock.clearFaults();
    site.mock.clearRecords();
    Object.assign(site.delays, { before: 0, after: 0 });
  });
  afterEach(() => context.close());

  /** Opens the page in a new tab that shares the storage of the others. */
  async function openTab(query = '', prepare?: string) {
    const page = await context.newPage();
    page.on('console', (message: any) => {
      if (/error|warning/.test(message.type())) output.push(message.text());
    });
    page.on('pageerror', (error: unknown) => output.push(String(error)));
    if (prepare !== undefined) await page.addInitScript(prepare);
    await page.goto(site.url + query);
    const of = (name: string) => page.locator(`#${name}`);
    return {
      page,
      click: (name: string, label: string) =>
        of(name).getByRole('button', { name: label, exact: true }).click(),
      status: (name = 'one'): Promise<string> => of(name).getAttribute('data-status'),
      is: (status: string, name = 'one') =>
        page.locator(`#${name}[data-status="${status}"]`).waitFor({ timeout: 60_000 }),
      images: (name = 'one'): Promise<number> => of(name).locator('img').count(),
      calls: (): Promise<any> => page.evaluate('calls'),
    };
  }

  const posts = () => site.mock.requests.filter(({ method }) => method === 'POST');

  test('two components of one slot share a task in strict mode', async () => {
    const tab = await openTab();
    await tab.click('one', 'Draw');
    await tab.is('succeeded', 'one');
    await tab.is('succeeded', 'two');
    expect(await tab.images('two')).toBe(1);
    expect(posts()).toHaveLength(1);
    expect(site.mock.invoice).toHaveLength(1);
    expect(await tab.calls()).toEqual({ finish: 1, error: 0, refused: [] });
    await tab.page.getByText('1 charges of').waitFor();
  });

  test('a budget is loaded after each charge, and a client that is new on each render causes a warning', async () => {
    const tab = await openTab();
    await tab.page.getByRole('button', { name: 'Budget' }).click();
    const shown = tab.page.getByText(/^[\d.]+ USD left$/);
    const left = parseFloat(await shown.textContent());
    await tab.click('one', 'Draw');
    await tab.is('succeeded');
    const price = site.mock.invoice.reduce((sum, { usd }) => sum + usd, 0);
    await until(async () =>
      expect(parseFloat(await shown.textContent())).toBeCloseTo(left - price, 8),
    );
    expect(price).toBeGreaterThan(0);
    await tab.page.getByText(/^[1-9]\d* models of a new client$/).waitFor();
    const lists = () => site.mock.requests.filter(({ path }) => path === '/v1/models').length;
    const before = lists();
    await new Promise((resolve) => void setTimeout(resolve, 500));
    expect(lists()).toBe(before);
    expect(output.filter((line) => /new on each render/.test(line))).toHaveLength(1);
  });

  test('a page that a server has rendered hydrates without warnings, with a result from the storage', async () => {
    const tab = await openTab();
    await tab.page.getByText(/^[1-9] models/).waitFor();
    await tab.click('one', 'Draw');
    await tab.is('succeeded');
    await tab.click('chat', 'Ask');
    await tab.page.getByText('not a model.').waitFor();
    await tab.page.reload();
    await tab.is('succeeded');
    await tab.page.getByText('not a model.').waitFor();
    expect(await tab.calls()).toEqual({ finish: 0, error: 0, refused: [] });
    expect(output.filter((text) => /hydrat|did not match|warning|getSnapshot/i.test(text))).toEqual(
      [],
    );
    expect(site.mock.invoice).toHaveLength(2);
  });

  test('two clicks at the same time in two tabs send one request', async () => {
    site.delays.after = 200;
    const one = await openTab();
    const two = await openTab();
    const tabCalls = () => Promise.all([one.calls(), two.calls()]);
    // A click on a busy machine can take longer than the task, and would then start another one.
    const releasePolls = site.holdPolls();
    await Promise.all([one.click('one', 'Draw'), two.click('one', 'Draw')]);
    await until(async () =>
      expect((await tabCalls()).flatMap(({ refused }) => refused)).toEqual(['generation_pending']),
    );
    releasePolls();
    await one.is('succeeded');
    await two.is('succeeded');
    expect(posts()).toHaveLength(1);
    const calls = await tabCalls();
    expect(calls.reduce((sum, { finish }) => sum + finish, 0)).toBe(1);
    await one.click('one', 'Reset');
    await two.is('idle');
    expect(await two.images()).toBe(0);
  });

  test('two tabs that ask at the same time keep both responses, on both screens and in the storage', async () => {
    const texts = async (tab: { page: any }): Promise<string[]> =>
      tab.page.locator('#chat p').allTextContents();
    for (let round = 0; round < 5; round += 1) {
      const questions = [`Harbor ${round}`, `Lighthouse ${round}`];
      const tabs = await Promise.all(questions.map((text) => openTab(`/?question=${text}`)));
      await Promise.all(tabs.map((tab) => tab.click('chat', 'Ask')));
      await until(async () => {
        for (const tab of tabs) {
          const shown = await texts(tab);
          for (const text of questions) {
            expect(shown.filter((content) => content.includes(`You said: ${text}`))).toHaveLength(
              1,
            );
          }
          expect(shown).toHaveLength(4 * (round + 1));
        }
      });
      const shown = await Promise.all(tabs.map(texts));
      expect(shown[0]).toEqual(shown[1]);
      await tabs[0]?.page.reload();
      await until(async () => expect(tabs[0] && (await texts(tabs[0]))).toEqual(shown[0]));
      await Promise.all(tabs.map(({ page }) => page.close()));
    }
    expect(site.mock.invoice).toHaveLength(10);
  });

  test('a picture that does not fit into the storage erases no response', async () => {
    const tab = await openTab();
    const count = () => tab.page.locator('#chat p').count();
    await tab.click('chat', 'Ask');
    await until(async () => expect(await count()).toBe(2));
    await tab.page.locator('#chat[data-status="idle"]').waitFor();
    await tab.click('chat', 'Show');
    await tab.page.locator('#chat[data-status="idle"][data-unstored="1"]').waitFor();
    await until(async () => expect(await count()).toBe(4));
    const shown = await tab.page.locator('#chat p').allTextContents();
    await tab.page.reload();
    await until(async () => expect(await count()).toBe(4));
    const stored = await tab.page.locator('#chat p').allTextContents();
    expect([stored[0], stored[1], stored[3]]).toEqual([shown[0], shown[1], shown[3]]);
    expect(site.mock.invoice).toHaveLength(2);
  });

  test('params that do not fit into the storage leave the key, so that a reload pays once', async () => {
    const tab = await openTab();
    site.delays.after = 2_000;
    await tab.click('one', 'Draw large');
    await until(() => expect(site.mock.invoice).toHaveLength(1));
    await tab.page.reload();
    await tab.is('unknown');
    site.delays.after = 0;
    await tab.click('one', 'Resume');
    await until(async () => expect((await tab.calls()).refused).toEqual(['params_not_stored']));
    await tab.click('one', 'Draw');
    await until(async () => expect((await tab.calls()).refused).toContain('outcome_unknown'));
    await tab.click('one', 'Draw large');
    await tab.is('succeeded');
    expect(site.mock.invoice).toHaveLength(1);
  });

  test('a page without room for a key says so, or sends nothing if it requires that', async () => {
    const denied = "Storage.prototype.setItem = () => { throw new Error('full'); }";
    const tab = await openTab('', denied);
    expect(await tab.page.locator('#one').getAttribute('data-stored')).toBe('true');
    await tab.click('one', 'Draw');
    await tab.is('succeeded');
    expect(await tab.page.locator('#one').getAttribute('data-stored')).toBe('false');
    const careful = await openTab('/?requireStorage', denied);
    await careful.click('one', 'Draw');
    await until(async () => expect((await careful.calls()).refused).toEqual(['not_stored']));
    expect(site.mock.invoice).toHaveLength(1);
  });

  test('a tab continues when the one that polls is closed', async () => {
    const one = await openTab();
    const two = await openTab();
    site.delays.before = 150;
    await one.click('one', 'Draw');
    await until(async () => expect(await two.status()).toMatch(/queued|running/));
    await one.page.close();
    await two.is('succeeded');
    expect(site.mock.invoice).toHaveLength(1);
  });

  test('unmounting stops the polls and the stream, and mounting again continues', async () => {
    const tab = await openTab();
    site.delays.before = 100;
    await tab.click('one', 'Draw');
    await tab.is('queued');
    await tab.page.getByRole('button', { name: 'Close' }).click();
    await until(() => expect(site.mock.inFlight).toBe(0));
    await tab.page.getByRole('button', { name: 'Open' }).click();
    await tab.is('succeeded');
    expect(site.mock.invoice).toHaveLength(1);
  });

  test.each([
    [
      'has no storage',
      "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })",
    ],
    ['has a full storage', "Storage.prototype.setItem = () => { throw new Error('full'); }"],
    ['has no locks', "Object.defineProperty(navigator, 'locks', { value: undefined })"],
    ['has no channels', 'delete window.BroadcastChannel'],
  ])('a page that %s works', async (_, prepare) => {
    const tab = await openTab('', prepare);
    await tab.click('one', 'Draw');
    await tab.is('succeeded', 'two');
    await tab.click('two', 'Draw');
    await until(() => expect(site.mock.invoice).toHaveLength(2));
    await tab.is('succeeded');
  });

  test('a page that has a damaged slot works once it was reset', async () => {
    const tab = await openTab('', "localStorage.setItem('polygate:image:hero', '{')");
    await tab.is('unknown');
    await tab.click('one', 'Draw');
    expect(posts()).toEqual([]);
    await tab.click('one', 'Reset');
    await tab.click('one', 'Draw');
    await tab.is('succeeded');
    expect(site.mock.invoice).toHaveLength(1);
  });

  test('a reload at any moment loses nothing, and is charged once', async () => {
    // A generator with a seed, so that a failure can be repeated.
    let seed = 7;
    const random = (limit: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const seen = new Set<string>();
    const tab = await openTab();
    for (let round = 0; round < reloads; round += 1) {
      const storeParams = round % 4 > 0;
      await tab.page.goto(`${site.url}/?prompt=${round}&storeParams=${storeParams}`);
      await tab.click('one', 'Reset');
      await tab.is('idle');
      Object.assign(site.delays, { before: random(60), after: random(60) });
      await tab.click('one', 'Draw');
      await new Promise((resolve) => void setTimeout(resolve, random(250)));
      await tab.page.reload();
      Object.assign(site.delays, { before: 0, after: 0 });
      await until(async () => {
        const status = await tab.status();
        seen.add(status);
        // The click was not processed before the reload, or nothing of it is known but the key.
        if (status === 'idle' || (status === 'unknown' && !storeParams)) {
          await tab.click('one', 'Draw');
        } else if (status === 'unknown') await tab.click('one', 'Resume');
        expect(status).toBe('succeeded');
      });
      expect([round, site.mock.invoice.length]).toEqual([round, round + 1]);
    }
    if (reloads >= 100) expect(seen).toContain('unknown');
  }, 600_000);
});
