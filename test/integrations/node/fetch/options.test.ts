import { ConfigurationError } from 'polygate';
import { nodeFetch } from 'polygate/node';
import { expect, test } from 'vitest';

import { failure, openFetch, serve } from './support.ts';

test.each([
  [{ conections: 1 }, 'conections: unknown option. Did you mean connections?'],
  [{ connections: 0 }, 'connections: must be an integer of at least 1.'],
  [{ connections: 1.5 }, 'connections: must be an integer of at least 1.'],
  [{ http2: 'yes' }, 'http2: must be true or false.'],
  [{ proxy: 'proxy.example' }, "proxy: must be 'env' or the URL of an HTTP proxy."],
  [{ connectTimeout: 0 }, 'connectTimeout: must be a number of milliseconds, at least 1.'],
  [{ dispatcher: {} }, 'dispatcher: must be a dispatcher of undici.'],
  [[], 'must be an object.'],
])('rejects %j', (options, message) => {
  expect(() => nodeFetch(options as object)).toThrow(
    new ConfigurationError(`nodeFetch: ${message}`),
  );
});

test('an option may be undefined', async () => {
  const { url } = await serve((_, response) => response.end('ok'));
  const fetch = openFetch({ connections: undefined, proxy: undefined });
  expect(await (await fetch(url)).text()).toBe('ok');
});

test('sends with the dispatcher of the caller, and does not close it', async () => {
  const sent: unknown[] = [];
  const dispatcher = {
    dispatch(options: object, handler: { onResponseError?: (...args: unknown[]) => void }) {
      sent.push(options);
      handler.onResponseError?.(null, new Error('refused'));
      return true;
    },
    close: () => Promise.reject(new Error('closed')),
  };
  const fetch = nodeFetch({ dispatcher });
  const { error, cause } = await failure(
    fetch('https://host.example/a?b', { method: 'POST', body: 'c' }),
  );
  expect([error.message, cause.message]).toEqual(['fetch failed', 'refused']);
  expect(sent).toMatchObject([
    { origin: 'https://host.example', path: '/a?b', method: 'POST', body: 'c' },
  ]);
  await fetch.close();
});
