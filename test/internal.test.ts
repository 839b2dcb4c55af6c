import { BudgetExceededError, PolygateError } from 'polygate';
import { expect, test } from 'vitest';

import { messageForPeople } from '../src/internal.ts';
import { chat, image, onMock } from './client/support.ts';
import { rejection } from './support/rejection.ts';

type World = ReturnType<typeof onMock>;

/** Errors of the client, each with advice that only a program can follow. */
const failures: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  [
    'a lost submit',
    ({ mock, gateway }) => {
      mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
      return gateway.images.generate(image, { maxRetries: 0 });
    },
  ],
  ['a wait that timed out', ({ gateway }) => gateway.images.generate(image, { waitTimeout: 1 })],
  [
    'a failed task',
    () => {
      const { mock, gateway } = onMock({ tasks: { outcome: 'failed' } });
      return mock.clock.settle(gateway.images.generate(image));
    },
  ],
];

test.each(failures)('the message of %s has no advice for programs left', async (_, fail) => {
  const world = onMock();
  const error = await rejection(PolygateError, world.mock.clock.settle(fail(world)));
  const { message } = error;
  expect(message).toMatch(/error\.(idempotencyKey|task)|idempotency key/);
  const text = messageForPeople(error);
  expect(text).not.toMatch(/error\.|idempotency key|is not lost/);
  expect(message.length - text.length).toBeGreaterThan(40);
  // The sentence before it still ends with a period.
  expect(text).toMatch(/\. \[\w+ \/v1\/|\.$/);
});

test('the message of a batch at its limit does not describe runs without a journal', async () => {
  const { mock, gateway } = onMock();
  const read = async () => {
    const rows = gateway.batch([1, 2, 3], () => gateway.images.submission(image), { maxUsd: 0.02 });
    for await (const row of rows) expect(row.status).toBe('succeeded');
  };
  const error = await rejection(BudgetExceededError, mock.clock.settle(read()));
  expect(error.message).toContain('Without a journal,');
  expect(messageForPeople(error)).toMatch(/with the same journal\.$/);
});

test('the message of an invalid response names the doctor', async () => {
  const { mock, gateway } = onMock();
  mock.fail({ route: 'POST /v1/chat/completions', malformed: true });
  const error = await rejection(
    PolygateError,
    mock.clock.settle(gateway.chat.completions.create(chat)),
  );
  expect(error.message).toContain('run npx polygate doctor');
  // A diagnosis has advice of its own, but must not leave out what may cost money.
  const text = messageForPeople(error, { advice: undefined });
  expect(text).not.toContain('polygate doctor');
  expect(text).toContain('sending it again may charge you again');
});
