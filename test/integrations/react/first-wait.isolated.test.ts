/** The first wait of a page, which loads a part of the client. */
import { expect, onTestFinished, test, vi } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { eventually } from '../../support/eventually.ts';
import { image } from './setup.ts';
import { memoryStorage, openTab, storageKey } from './support.ts';

test('a wait whose file cannot be loaded after a reload starts again when the browser is online', async () => {
  const { apiKey, baseURL, fetch, ...mock } = createMockGateway({ tasks: { durationMs: 0 } });
  /** A client that has loaded nothing. */
  const open = async () => {
    vi.resetModules();
    const { Polygate } = await import('../../../src/index.ts');
    return new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
  };
  const task = await (await open()).images.submit(image);
  const receipt = task.toJSON();
  const stored = { v: 1, key: task.idempotencyKey, fingerprint: 'f', receipt };
  const { storage, entry } = memoryStorage({ [storageKey]: JSON.stringify(stored) });

  const page = new EventTarget();
  vi.stubGlobal('window', page);
  const path = new URL('../../../src/client/tasks/wait-steps.ts', import.meta.url).pathname;
  let isOffline = true;
  let loads = 0;
  vi.doMock(path, async (importOriginal) => {
    loads += 1;
    if (isOffline) throw new Error('offline');
    return importOriginal();
  });
  onTestFinished(() => {
    vi.doUnmock(path);
    vi.unstubAllGlobals();
  });

  const onError = vi.fn<(error: Error) => void>();
  const tab = openTab((await open()).images, { storage, onError });
  await eventually(() => expect(loads).toBeGreaterThan(0));
  // Time for the wait to end.
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect(tab.now).toMatchObject({ status: 'queued', error: undefined });
  expect(entry()).toMatchObject({ receipt: { id: task.id } });

  isOffline = false;
  vi.doUnmock(path);
  page.dispatchEvent(new Event('online'));
  await eventually(() => expect(tab.now.status).toBe('succeeded'));
  expect(onError).not.toHaveBeenCalled();
  expect(mock.invoice).toHaveLength(1);
});
