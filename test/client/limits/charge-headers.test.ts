import { describe, expect, test } from 'vitest';

import { BudgetExceededError } from '../../../src/index.ts';
import { contextOf } from '../../../src/internal.ts';
import {
  caught,
  chat,
  clientOf,
  errorReply,
  image,
  jsonReply,
  onMock,
  scripted,
  virtualClock,
} from '../support.ts';

describe('a charge header with an impossible value', () => {
  test.each(['free', 'NaN', 'Infinity', '-Infinity', '-1', '0,02'])(
    'counts the estimate when the charge header is %s, and warns',
    async (reported) => {
      const warnings: string[] = [];
      const { mock, gateway } = onMock(
        {},
        {
          logLevel: 'warn',
          logger: { ...console, warn: (text: string) => warnings.push(text) },
          budget: { maxUsd: 0.03 },
          fetch: async (input, init) => {
            const response = await mock.fetch(input, init);
            if (response.headers.has('x-svc-charge-usd')) {
              response.headers.set('x-svc-charge-usd', reported);
            }
            return response;
          },
        },
      );
      await gateway.models.list();
      const task = await gateway.images.submit(image);
      expect(task.chargeUsd).toBeUndefined();
      expect(JSON.stringify(task)).not.toContain('chargeUsd');
      // Like a success without the header: the estimate is reserved, and no charge was reported.
      expect(gateway.spend).toMatchObject({ totalUsd: 0, requests: 0 });
      expect(contextOf(gateway).reservedUsd).toBe(0.02);
      expect(await caught(gateway.images.submit(image))).toBeInstanceOf(BudgetExceededError);
      expect(mock.invoice).toHaveLength(1);
      expect(warnings).toEqual([
        expect.stringContaining(
          `POST /v1/images/tasks: the service reported an invalid charge (${reported}), so an estimate counts`,
        ),
      ]);
    },
  );

  test('counts nothing when the charge header is invalid and the price is not known', async () => {
    const { fetch } = scripted(
      jsonReply(202, { id: 'task_1', status: 'queued' }, { 'x-svc-charge-usd': '-1' }),
    );
    const gateway = clientOf(fetch);
    await gateway.images.submit(image);
    expect(gateway.spend.totalUsd).toBe(0);
  });
});

describe('an error response that reports a charge', () => {
  const charged = { 'x-svc-charge-usd': '0.02', 'retry-after': '0' };

  test.each([302, 400, 404, 422, 429, 503])(
    'with status %i is counted, is not free, and names the charge',
    async (status) => {
      const { fetch, sent } = scripted(errorReply(status, undefined, charged));
      const gateway = clientOf(fetch, { maxRetries: 3 });
      const error = await caught(gateway.chat.completions.create(chat));
      expect(error).toMatchObject({ status, outcome: 'unknown' });
      expect(error.message).toContain('The service reported a charge of 0.02 USD');
      expect(error.message).not.toContain('Nothing was charged');
      expect(sent).toHaveLength(1);
      expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
    },
  );

  test('is free if the charge is 0, so that its key still counts against the budget', async () => {
    const charges: unknown[] = [];
    const onCharge = (charge: unknown) => void charges.push(charge);
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.02 }, maxRetries: 0, onCharge });
    await gateway.models.list();
    mock.fail({ status: 503, times: 1, headers: { 'x-svc-charge-usd': '0' } });
    const options = { idempotencyKey: 'row-1' };
    expect(await caught(gateway.images.submit(image, options))).toMatchObject({ status: 503 });
    await gateway.images.submit(image);
    const error = await caught(gateway.images.submit(image, options));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(mock.invoice).toHaveLength(1);
    expect(charges).toHaveLength(1);
  });

  test('is retried with the same key if the request has one', async () => {
    const { fetch, sent } = scripted(
      errorReply(503, undefined, charged),
      jsonReply(
        202,
        { id: 'task_1', status: 'queued' },
        { 'x-svc-charge-usd': '0.02', 'x-svc-idempotent-replay': 'true' },
      ),
    );
    const clock = virtualClock();
    const gateway = clientOf(fetch, { clock, maxRetries: 3 });
    const task = await clock.settle(gateway.images.submit(image));
    expect(task.id).toBe('task_1');
    expect(sent.map(({ headers }) => headers.get('x-idempotency-key'))).toEqual([
      task.idempotencyKey,
      task.idempotencyKey,
    ]);
    expect(gateway.spend).toMatchObject({ totalUsd: 0.02, requests: 1 });
  });

  test.each([
    [0, 'a charge of 0.02 USD. Retry with error.idempotencyKey to avoid a second charge.'],
    [2, 'charges of 0.06 USD; sending it again may charge you again. ['],
  ])(
    'is named with those of %i retries, and as often as it was charged',
    async (maxRetries, text) => {
      const { fetch, sent } = scripted(errorReply(500, undefined, charged));
      const clock = virtualClock();
      const gateway = clientOf(fetch, { clock, maxRetries });
      const error = await clock.settle(caught(gateway.images.submit(image)));
      expect(error.message).toContain(`The service reported ${text}`);
      expect(sent).toHaveLength(maxRetries + 1);
    },
  );

  test('is named if the retry is lost', async () => {
    const lost = () => {
      throw new TypeError('fetch failed');
    };
    const { fetch } = scripted(errorReply(500, undefined, charged), lost);
    const clock = virtualClock();
    const gateway = clientOf(fetch, { clock, maxRetries: 1 });
    const error = await clock.settle(caught(gateway.images.submit(image)));
    expect(error.message).toContain('The service reported a charge of 0.02 USD.');
  });

  test('is not retried if the budget does not cover it and its key was charged twice', async () => {
    const { fetch, sent } = scripted(errorReply(500, undefined, charged));
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05 }, maxRetries: 3 });
    await gateway.models.list();
    const derived = gateway.withOptions({ fetch });
    const error = await mock.clock.settle(caught(derived.images.submit(image)));
    expect(error).toBeInstanceOf(BudgetExceededError);
    expect(error).toMatchObject({ outcome: 'unknown', spentUsd: 0.04 });
    expect(error.message).toContain(
      'The service reported charges of 0.04 USD; sending it again may charge you again.',
    );
    expect(sent).toHaveLength(2);
  });
});

test.each([
  ['a 303', 303, 'unknown'],
  ['a 307', 307, 'rejected'],
])('%s in response to a paid request is not retried', async (_, status, outcome) => {
  const { fetch, sent } = scripted(
    () => new Response(null, { status, headers: { location: '/elsewhere' } }),
  );
  const gateway = clientOf(fetch, { maxRetries: 3 });
  const error = await caught(gateway.images.submit(image));
  expect(error).toMatchObject({ outcome });
  expect(sent).toHaveLength(1);
});
