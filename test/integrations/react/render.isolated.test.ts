/** The hooks in components that React renders, without a page: they draw nothing. */
import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { useBudget, useChat, useGeneration, useModels, useSpend } from 'polygate/react';
import { StrictMode, createElement, useMemo, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';

const events = { addEventListener: () => {}, removeEventListener: () => {} };
const window = { ...events, HTMLIFrameElement: Event };
// React reads it when it is imported.
vi.stubGlobal('window', window);
const { createRoot } = await import('react-dom/client');

let warnings: unknown[][];
beforeEach(() => {
  warnings = [];
  vi.spyOn(console, 'warn').mockImplementation((...text) => void warnings.push(text));
});
afterEach(() => void vi.restoreAllMocks());

const warning = ['polygate: a client is new on each render. Create it outside of components.'];

/** Renders a component until the end of the test. Returns a function that renders it again. */
function render(Component: () => undefined, isStrict: boolean) {
  const document = { ...events, nodeType: 9, defaultView: window };
  const container = { ...events, nodeType: 1, tagName: 'DIV', ownerDocument: document };
  const root = createRoot(container as never);
  onTestFinished(() => root.unmount());
  const again = () => {
    const element = createElement(Component);
    root.render(isStrict ? createElement(StrictMode, null, element) : element);
  };
  again();
  return again;
}

/** A reference gateway, and a function that creates clients of it. */
function setUp() {
  const mock = createMockGateway();
  const { apiKey, baseURL, fetch } = mock;
  return { mock, create: () => new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' }) };
}

/** Time for requests that nothing should send. */
const pause = () => new Promise((resolve) => void setTimeout(resolve, 50));

describe.each([false, true])('in strict mode: %s', (isStrict) => {
  test('a list of models is loaded once, although its client is new on each render', async () => {
    const { mock, create } = setUp();
    let renders = 0;
    let shown = { count: 0, isLoading: true };
    const again = render(() => {
      renders += 1;
      const { models, isLoading } = useModels(create(), { type: 'image' });
      shown = { count: models.length, isLoading };
    }, isStrict);
    await eventually(() => expect(shown.isLoading).toBe(false));
    expect(shown.count).toBeGreaterThan(0);
    const before = renders;
    again();
    await eventually(() => expect(renders).toBeGreaterThan(before));
    await pause();
    expect(mock.requests).toHaveLength(1);
    expect(warnings).toEqual([warning]);
  });

  test.each<[string, (client: Polygate) => unknown]>([
    ['useSpend', (client) => useSpend(client)],
    ['useChat', (client) => useChat(client, { model: 'aurora-chat' })],
    ['useGeneration', ({ images }) => useGeneration(images)],
    ['useBudget', (client) => useBudget({ url: '/budget', client, fetch: noBudget })],
  ])('%s warns once of a client that is new on each render', async (_, hook) => {
    const { mock, create } = setUp();
    let renders = 0;
    const again = render(() => {
      renders += 1;
      hook(create());
    }, isStrict);
    for (let count = 0; count < 3; count += 1) {
      const before = renders;
      again();
      await eventually(() => expect(renders).toBeGreaterThan(before));
    }
    await pause();
    expect(renders).toBeLessThan(50);
    expect(warnings).toEqual([warning]);
    expect(mock.requests).toEqual([]);
  });

  test('a client that is replaced shows its own data, and no warning', async () => {
    const { mock, create } = setUp();
    const clients = new Map<number, Polygate>();
    let replace = (_: number) => {};
    let shown: unknown[] = [];
    render(() => {
      const [version, setVersion] = useState(1);
      replace = setVersion;
      const client = useMemo(() => [version, create()] as const, [version])[1];
      clients.set(version, client);
      const { isLoading } = useModels(client);
      useChat(client, { model: 'aurora-chat' });
      useGeneration(client.images);
      shown = [version, isLoading, useSpend(client).totalUsd];
    }, isStrict);
    await eventually(() => expect(shown).toEqual([1, false, 0]));
    for (const version of [2, 3, 4]) {
      replace(version);
      await eventually(() => expect(shown).toEqual([version, false, 0]));
      const { totalUsd } = await spendOn(clients.get(version));
      expect(totalUsd).toBeGreaterThan(0);
      await eventually(() => expect(shown).toEqual([version, false, totalUsd]));
    }
    expect(warnings).toEqual([]);
    expect(mock.requests.filter(({ path }) => path === '/v1/models')).toHaveLength(4);
  });

  test('components with one budget send one request, and show what is left', async () => {
    const shown = new Map<string, unknown>();
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return Response.json({ remainingUsd: 0.5 });
    };
    for (const name of ['one', 'two']) {
      render(() => {
        const { budget, isLoading } = useBudget({ url: '/budget', fetch });
        shown.set(name, [budget?.remainingUsd, isLoading]);
      }, isStrict);
    }
    await eventually(() =>
      expect([...shown.values()]).toEqual([
        [0.5, false],
        [0.5, false],
      ]),
    );
    await pause();
    expect(sent).toBe(1);
  });
});

const noBudget = async () => Response.json({});

/** What a client has spent, after one image. */
async function spendOn(client: Polygate | undefined) {
  await client?.images.submit({ model: 'prism-image', prompt: 'A harbor' });
  return client?.spend ?? { totalUsd: 0 };
}

test('a server renders a budget that is loading, and sends nothing', () => {
  const fetch = vi.fn<typeof noBudget>(noBudget);
  const App = () => JSON.stringify(useBudget({ url: '/api/gateway/budget', fetch }));
  expect(renderToString(createElement(App))).toBe('{&quot;isLoading&quot;:true}');
  expect(fetch).not.toHaveBeenCalled();
});
