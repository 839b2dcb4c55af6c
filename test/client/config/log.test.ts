import { expect, test } from 'vitest';

import type { Logger } from '../../../src/index.ts';
import { caught, chat, image, onMock } from '../support.ts';

const throwing = (): unknown => {
  throw new Error('The log is full');
};
const rejecting = (): unknown => Promise.reject(new Error('The log is full'));

test.each([
  ['throws', throwing],
  ['rejects', rejecting],
])('a logger that %s breaks no call and loses no result', async (_, write) => {
  const logger: Logger = { error: write, warn: write, info: write, debug: write };
  const onCharge = throwing;
  const { mock, gateway } = onMock({}, { logger, logLevel: 'debug', onCharge });
  mock.fail({ route: 'POST /v1/images/tasks', status: 503, times: 1 });
  mock.fail({ route: 'POST /v1/chat/completions', headers: { 'x-svc-charge-usd': '-1' } });
  const work = (async () => [
    (await gateway.images.generate(image)).status,
    (await gateway.chat.completions.create(chat)).object,
    (await gateway.chat.completions.stream(chat).final()).object,
  ])();
  expect(await mock.clock.settle(work)).toEqual([
    'succeeded',
    'chat.completion',
    'chat.completion',
  ]);
  expect(mock.invoice).toHaveLength(3);
});

test('a logger that throws keeps no batch from yielding the rows that were paid', async () => {
  const logger: Logger = { error: throwing, warn: throwing, info: throwing, debug: throwing };
  const { mock, gateway } = onMock({ wallet: { usd: 0.03 } }, { logger, logLevel: 'debug' });
  const yielded: string[] = [];
  const work = (async () => {
    const rows = gateway.batch(['a', 'b'], () => gateway.images.submission(image));
    for await (const row of rows) yielded.push(row.status);
  })();
  expect((await caught(mock.clock.settle(work))).name).toBe('PaymentRequiredError');
  expect(mock.invoice).toHaveLength(1);
  expect(yielded).toEqual(['succeeded']);
});
