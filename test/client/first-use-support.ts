import { onTestFinished, vi } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';

/** A gateway, and what creates clients that have loaded nothing. */
export function onFreshClients() {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  const { apiKey, baseURL, fetch } = mock;
  const open = async (options: object = {}) => {
    vi.resetModules();
    const { Polygate, ChatStream } = await import('../../src/index.ts');
    const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off', ...options });
    return { gateway, ChatStream };
  };
  return { mock, open };
}

/** Holds back a file of the sources until `release` is called, with an error if it cannot be loaded. */
export function holdFile(name: string) {
  let release = (_error?: Error) => {};
  const held = new Promise<Error | undefined>((resolve) => (release = resolve));
  const path = new URL(`../../src/client/${name}`, import.meta.url).pathname;
  vi.doMock(path, async (importOriginal) => {
    const error = await held;
    if (error) throw error;
    return importOriginal();
  });
  const restore = () => {
    release();
    vi.doUnmock(path);
  };
  onTestFinished(restore);
  return { release: (error?: Error) => release(error), restore };
}
