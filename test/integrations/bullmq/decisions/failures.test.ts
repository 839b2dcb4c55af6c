import { ConcurrencyLimitError, ConfigurationError, Polygate } from 'polygate';
import { describe, expect, test } from 'vitest';

import { resolveConfig } from '../../../../src/client/config/config.ts';
import { resolveApiKey } from '../../../../src/client/http/request-headers.ts';
import { isRejected, lacksKey, reportedLimit } from '../../../../src/integrations/bullmq/row.ts';
import {
  authentication,
  badRequest,
  meta,
  noSlot,
  notImplemented,
  notSent,
  queuedTooLong,
  rateLimit,
  serverError,
  unavailableModel,
} from './errors.ts';

describe('a queue pauses for lack of a valid API key', () => {
  const baseURL = 'https://host.example';
  const errorOf = (apiKey: () => string) =>
    new Polygate({ baseURL, apiKey }).models.list().catch((error: unknown) => error);
  const fail = () => {
    throw new Error('the vault is sealed');
  };

  test('if the service rejects the key, or the function that returns it fails', async () => {
    expect(lacksKey(authentication)).toBe(true);
    expect(lacksKey(await errorOf(fail))).toBe(true);
    expect(lacksKey(await errorOf(() => ''))).toBe(true);
    expect(lacksKey(await errorOf(() => 'two\nlines'))).toBe(true);
  });

  test('but not for other errors in the configuration', async () => {
    const gateway = new Polygate({ baseURL, apiKey: 'sk-1' });
    const error = await gateway.models.retrieve('').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(lacksKey(error)).toBe(false);
  });
});

test('a client without an API key lacks it, and one with an invalid option does not', async () => {
  const baseURL = 'https://host.example';
  const fetch = () => Promise.reject(new Error('not reached'));
  const clientWith = (apiKey: () => string) => new Polygate({ apiKey, baseURL, fetch });
  const errorOf = (run: () => unknown) =>
    Promise.resolve()
      .then(run)
      .catch((error: unknown) => error);
  const throws = clientWith(() => {
    throw new Error('sealed');
  });
  expect(lacksKey(await errorOf(() => throws.models.list()))).toBe(true);
  expect(lacksKey(await errorOf(() => clientWith(() => '').models.list()))).toBe(true);
  expect(
    lacksKey(
      await errorOf(() =>
        resolveApiKey({ ...resolveConfig({ apiKey: 'k', baseURL }), apiKey: undefined }),
      ),
    ),
  ).toBe(true);
  const invalid = await errorOf(() => new Polygate({ apiKey: '\n', baseURL }));
  expect(invalid).toMatchObject({ message: expect.stringMatching(/^apiKey/) });
  expect(lacksKey(invalid)).toBe(false);
  const visible = 'apiKey: every visitor could read it.';
  expect(lacksKey(new ConfigurationError(visible))).toBe(false);
});

test('only errors that the service will repeat are rejections for good', () => {
  for (const error of [badRequest, notImplemented, unavailableModel]) {
    expect(isRejected(error)).toBe(true);
  }
  for (const error of [serverError, rateLimit, noSlot, notSent]) {
    expect(isRejected(error)).toBe(false);
  }
});

test('an error reports the limit of its response, or that the limit is lower', () => {
  const limited = { ...meta(429), concurrency: { limit: 3 } };
  expect(reportedLimit(new ConcurrencyLimitError('429', { meta: limited }))).toBe(3);
  expect(reportedLimit(noSlot)).toBe('less');
  expect(reportedLimit(queuedTooLong)).toBe('less');
  expect(reportedLimit(serverError)).toBeUndefined();
});
