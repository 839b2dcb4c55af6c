import { expect, test } from 'vitest';

import { ConfigurationError } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import { listen } from '../../src/mock/node/index.ts';

test.each([
  [{ concurency: 8 }, 'concurency: unknown option.'],
  [{ concurrency_limit: 8 }, 'concurrency_limit: unknown option. Did you mean concurrencyLimit?'],
  [{ latency: 8 }, 'latency: unknown option. Did you mean latencyMs?'],
  [{ tasks: { duration: 0 } }, 'tasks.duration: unknown option. Did you mean tasks.durationMs?'],
  [
    { materials: { deletedMs: 0 } },
    'materials.deletedMs: unknown option. Did you mean materials.deleteMs?',
  ],
  [{ wallet: { USD: 1 } }, 'wallet.USD: unknown option. Did you mean wallet.usd?'],
  [
    { keys: [{ key: 'sk-a' }, { key: 'sk-b', State: 'disabled' }] },
    'keys[1].State: unknown option. Did you mean keys[1].state?',
  ],
  [
    { assumptions: { a13: 'conflict' } },
    'assumptions.a13: unknown option. Did you mean assumptions.A13?',
  ],
  [{ assumptions: { latency: 1 } }, 'assumptions.latency: unknown option.'],
])('createMockGateway rejects the unknown option in %o', (options: object, message) => {
  expect(() => createMockGateway(options)).toThrow(new ConfigurationError(message));
});

test.each([
  ['retry_after', 'retryAfter'],
  ['delay', 'delayMs'],
  ['truncatedBody', 'truncateBody'],
  ['time', 'times'],
])('mock.fail rejects the unknown field %s and injects no fault', async (name, suggestion) => {
  const mock = createMockGateway();
  const fault: Fault = Object.assign({ status: 503 }, { [name]: 1 });
  expect(() => mock.fail(fault)).toThrow(
    new ConfigurationError(`${name}: unknown option. Did you mean ${suggestion}?`),
  );
  expect((await mock.fetch(`${mock.baseURL}/v1/status`)).status).toBe(200);
});

test('listen rejects an unknown option', async () => {
  const options: object = { Port: 8787 };
  await expect(listen(createMockGateway(), options)).rejects.toThrow(
    new ConfigurationError('Port: unknown option. Did you mean port?'),
  );
});

test('options that are undefined are accepted', () => {
  const options = { keys: undefined, tasks: undefined, wallet: undefined, assumptions: undefined };
  expect(() => createMockGateway(options).fail({ times: undefined })).not.toThrow();
});
