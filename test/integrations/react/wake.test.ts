import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { image, onMock } from './setup.ts';
import { memoryStorage, openTab } from './support.ts';

let page: EventTarget;
let document: { hidden: boolean };

beforeEach(() => {
  page = new EventTarget();
  document = { hidden: false };
  vi.stubGlobal('window', page);
  vi.stubGlobal('document', document);
});
afterEach(() => vi.unstubAllGlobals());

/** A tab that waits for its next poll, which is due later. */
async function waitingTab() {
  const { mock, gateway } = onMock({ tasks: { durationMs: 0 } });
  const { storage } = memoryStorage();
  const tab = openTab(gateway.images, { storage });
  const result = tab.store.generate(image);
  await eventually(() => expect(tab.now.status).toBe('queued'));
  return { mock, tab, result };
}

test.each([
  ['the browser is online again', () => page.dispatchEvent(new Event('online'))],
  ['the page is visible again', () => page.dispatchEvent(new Event('visibilitychange'))],
])('polls immediately when %s', async (_, dispatch) => {
  const { mock, tab, result } = await waitingTab();
  const before = mock.requests.length;
  dispatch();
  expect(await result).toMatchObject({ status: 'succeeded' });
  expect(mock.requests).toHaveLength(before + 1);
  expect(tab.now.status).toBe('succeeded');
});

test('does not poll when the page is hidden', async () => {
  const { mock, tab } = await waitingTab();
  const before = mock.requests.length;
  document.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(mock.requests).toHaveLength(before);
  expect(tab.now.status).toBe('queued');
});
