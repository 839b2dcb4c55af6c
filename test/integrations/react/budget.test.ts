import type { Spend } from 'polygate';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import type { BudgetOptions } from '../../../src/integrations/react/index.ts';
import { BudgetStore } from '../../../src/integrations/react/store/budget-store.ts';
import { eventually } from '../../support/eventually.ts';
import { turns } from '../../support/turns.ts';
import { chargedUsd, failingStore, image, imageUsd } from '../proxy/limits/support.ts';
import { mount, startProxy } from '../proxy/support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const once = { maxRetries: 0 };
const limits = { usd: 1 };
const budgetPath = `${mount}/budget`;

/** A component with a budget, until the end of the test. */
function openBudget(options: Partial<BudgetOptions>) {
  const url = options.url ?? budgetPath;
  const settings = { current: { ...options, url } };
  const store = new BudgetStore(`polygate:budget:${url}`, settings);
  const mountComponent = () => store.subscribe(() => undefined, settings);
  let unmount = mountComponent();
  onTestFinished(() => unmount());
  return {
    store,
    get now() {
      return store.snapshot;
    },
    unmount: () => unmount(),
    remount: () => void (unmount = mountComponent()),
    /** Refreshes after the pause since the last request. */
    async refresh() {
      const refreshed = store.refresh();
      await vi.advanceTimersByTimeAsync(1_000);
      await refreshed;
    },
    isLoaded: () => eventually(() => expect(store.snapshot.isLoading).toBe(false)),
  };
}

/** A `fetch` whose responses the test chooses, and how often it was called. */
function scripted(respond: (count: number) => Response | Promise<Response>) {
  const sent: AbortSignal[] = [];
  const fetch: BudgetOptions['fetch'] = async (_, { signal }) => {
    if (signal) sent.push(signal);
    return respond(sent.length);
  };
  return { fetch, sent };
}

const budget = (remainingUsd: number, more = {}) => Response.json({ remainingUsd, ...more });

/** A proxy with a user whose page sends a header instead of a cookie. */
async function signedIn(options: Parameters<typeof startProxy>[0] = {}) {
  const authorize = ({ headers }: Request) => headers.get('x-user') || null;
  const setup = await startProxy({ limits, budgetPath, authorize, ...options });
  let user = 'ann';
  const requests: string[] = [];
  const fetch: BudgetOptions['fetch'] = async (url, init) => {
    requests.push(url);
    return globalThis.fetch(url, { ...init, headers: { 'x-user': user } });
  };
  const url = setup.origin + budgetPath;
  return { ...setup, url, fetch, requests, signInAs: (name: string) => (user = name) };
}

test('a budget is loaded once, and again after each charge of the client', async () => {
  const { page, mock, url, fetch, requests } = await signedIn();
  const client = page(once);
  const tab = openBudget({ url, fetch, client });
  expect(tab.now).toEqual({ budget: undefined, error: undefined, isLoading: true });
  await tab.isLoaded();
  expect(tab.now).toMatchObject({ budget: { spentUsd: 0, remainingUsd: 1 }, error: undefined });
  expect(requests).toHaveLength(1);
  await client.images.submit(image);
  await eventually(() => expect(tab.now.budget?.remainingUsd).toBe(1 - imageUsd));
  expect(tab.now.budget?.spentUsd).toBe(chargedUsd(mock));
});

test('the numbers of one user are never shown to the next one', async () => {
  const { page, url, fetch, signInAs, handler } = await signedIn();
  await page(once).images.submit(image);
  const tab = openBudget({ url, fetch });
  await tab.isLoaded();
  expect(tab.now.budget?.spentUsd).toBe(imageUsd);
  // The user signs out, while the component is shown.
  signInAs('');
  await tab.refresh();
  expect(tab.now).toMatchObject({
    budget: undefined,
    error: { status: 401, code: 'sign_in_required', message: 'Sign in to this app first.' },
  });
  signInAs('ann');
  await tab.refresh();
  expect(tab.now).toMatchObject({ budget: { spentUsd: imageUsd }, error: undefined });
  // Another one signs in, on another page of the app.
  tab.unmount();
  signInAs('bob');
  expect(tab.now.budget).toBeUndefined();
  tab.remount();
  await tab.isLoaded();
  expect(tab.now.budget?.spentUsd).toBe(0);
  expect((await handler.usage('ann')).usd).toBe(imageUsd);
});

test('a failed request keeps the budget that was loaded', async () => {
  const { store, state } = failingStore();
  const { url, fetch } = await signedIn({ store });
  const tab = openBudget({ url, fetch });
  await tab.isLoaded();
  state.isDown = true;
  await tab.refresh();
  expect(tab.now).toMatchObject({
    budget: { remainingUsd: 1 },
    isLoading: false,
    error: { status: 503, code: 'store_unavailable' },
  });
  state.isDown = false;
  await tab.refresh();
  expect(tab.now).toMatchObject({ budget: { remainingUsd: 1 }, error: undefined });
});

test.each<[string, () => Response | Promise<Response>, object]>([
  [
    'a page',
    () => new Response('<!doctype html>'),
    { message: 'No budget at /api/gateway/budget: status 200', status: 200 },
  ],
  ['nothing', () => new Response(null, { status: 404 }), { status: 404 }],
  ['null', () => Response.json(null), { status: 200 }],
  ['no response', () => Promise.reject(new TypeError('Failed to fetch')), { name: 'TypeError' }],
])('an error says that the URL has %s', async (_, respond, error) => {
  const tab = openBudget(scripted(respond));
  await tab.isLoaded();
  expect(tab.now).toMatchObject({ budget: undefined, error });
  expect(tab.now.error).toBeInstanceOf(Error);
});

test('unmounting aborts the request, and drops a response that arrives later', async () => {
  let respond = (_: Response) => {};
  const late = new Promise<Response>((resolve) => (respond = resolve));
  const { fetch, sent } = scripted((count) => (count === 1 ? late : budget(2)));
  const tab = openBudget({ fetch });
  await turns();
  tab.unmount();
  expect(sent.map(({ aborted }) => aborted)).toEqual([true]);
  tab.remount();
  await tab.isLoaded();
  respond(budget(1));
  await turns();
  expect(tab.now).toMatchObject({ budget: { remainingUsd: 2 }, error: undefined });
});

test('a component that strict mode mounts twice sends one request', async () => {
  const { fetch, sent } = scripted(budget);
  const tab = openBudget({ fetch });
  tab.unmount();
  tab.remount();
  await tab.isLoaded();
  expect(sent).toHaveLength(1);
  tab.unmount();
  await tab.refresh();
  expect(sent).toHaveLength(1);
});

test('`fetch` is called without the options as its receiver, as that of a browser requires', async () => {
  const receivers: unknown[] = [];
  async function receiving(this: unknown) {
    receivers.push(this);
    return budget(1);
  }
  await openBudget({ fetch: receiving }).isLoaded();
  expect(receivers).toEqual([undefined]);
});

test.each([
  [undefined, 1],
  [false, 1],
  [true, 0],
])(
  'a budget of a page with hidden: %s is loaded when the window ends: %i',
  async (hidden, more) => {
    if (hidden !== undefined) vi.stubGlobal('document', { hidden });
    const { fetch, sent } = scripted((count) => budget(count, { reloadInMs: 5_000 }));
    const tab = openBudget({ fetch });
    await turns();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(1 + more);
    expect(tab.now.budget?.remainingUsd).toBe(1 + more);
    tab.unmount();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(sent).toHaveLength(1 + more);
  },
);

test('a budget is loaded when the page is shown again', async () => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { hidden: false });
  const { fetch, sent } = scripted(budget);
  await openBudget({ fetch }).isLoaded();
  window.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toHaveLength(2);
});

test('many charges, calls of refresh and short windows cause at most one request per second', async () => {
  const { page } = await startProxy();
  const listeners = new Set<(spend: Spend) => void>();
  const client = {
    spend: page().spend,
    onSpend: (listener: (spend: Spend) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { fetch, sent } = scripted((count) => budget(count, { reloadInMs: 1 }));
  const tab = openBudget({ fetch, client });
  await tab.isLoaded();
  for (let ms = 0; ms < 10_000; ms += 10) {
    for (const listener of listeners) listener(client.spend);
    void tab.store.refresh();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.length).toBeLessThanOrEqual(11);
  tab.unmount();
  expect(listeners.size).toBe(0);
});

test('a charge while the budget is loading is in the next response', async () => {
  let respond = (_: Response) => {};
  const slow = new Promise<Response>((resolve) => (respond = resolve));
  const { fetch, sent } = scripted((count) => (count === 1 ? slow : budget(2)));
  const tab = openBudget({ fetch });
  await turns();
  const refreshed = [tab.store.refresh(), tab.store.refresh()];
  await turns();
  expect(sent).toHaveLength(1);
  respond(budget(1));
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(refreshed);
  expect(sent).toHaveLength(2);
  expect(tab.now.budget?.remainingUsd).toBe(2);
});
