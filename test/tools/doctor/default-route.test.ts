/** Whether the route that the client uses by default for images works, too. */
import { expect, test } from 'vitest';

import { addressOf, findingOf, startMock } from './diagnosed-mock.ts';

test("the client's default route of images is tested with the key of the image task", async () => {
  const { run, mock } = startMock();
  const works = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(works, 'replay.route').status).toBe('ok');
  expect(mock.invoice.filter(({ route }) => route.includes('image'))).toHaveLength(1);

  const missing = startMock();
  missing.mock.fail({ route: 'POST /v1/images/tasks', status: 404 });
  expect(findingOf(await missing.run({ maxSpendUsd: 0.1 }), 'replay.route')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('POST /v1/images/tasks, which the client uses by default'),
    advice: expect.stringContaining("route: 'generations'"),
  });

  const conflicts = startMock();
  conflicts.mock.fail({ route: 'POST /v1/images/tasks', status: 409 });
  expect(findingOf(await conflicts.run({ maxSpendUsd: 0.1 }), 'replay.route').status).toBe('ok');

  const short = await startMock({ wallet: { usd: 0.0055 } }).run({ maxSpendUsd: 0.1 });
  expect(findingOf(short, 'replay')).toMatchObject({ status: 'skipped' });
});

test('a default route that does not know the key of the other one is counted as spent', async () => {
  const { run, mock } = startMock({}, (fetch) => (input, init) => {
    const headers = new Headers(init?.headers);
    const isDefault = addressOf(input).endsWith('/v1/images/tasks');
    if (isDefault) headers.set('x-idempotency-key', `${headers.get('x-idempotency-key')}-other`);
    return fetch(input, { ...init, headers });
  });
  const diagnosis = await run({ maxSpendUsd: 0.1 });
  expect(findingOf(diagnosis, 'replay.route').status).toBe('ok');
  expect(mock.invoice.filter(({ route }) => route.includes('image'))).toHaveLength(2);
  expect(diagnosis.spentUsd).toBe(mock.wallet.spentUsd);
});
