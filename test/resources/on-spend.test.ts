import { expect, test, vi } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { chat, image, onMock, thrown } from '../client/support.ts';
import { eventually } from '../support/eventually.ts';

test('onSpend reports each charge of all clients that share the ledger, until it is stopped', async () => {
  const { gateway } = onMock();
  const totals: number[] = [];
  const stop = gateway.onSpend(({ totalUsd }) => totals.push(totalUsd));
  await gateway.images.submit(image, { idempotencyKey: 'k' });
  const one = gateway.spend.totalUsd;
  await gateway.images.submit(image, { idempotencyKey: 'k' });
  expect(totals).toEqual([one]);
  await gateway.withOptions({ timeout: 1_000 }).chat.completions.create(chat);
  expect(totals).toEqual([one, gateway.spend.totalUsd]);
  stop();
  await gateway.images.submit(image);
  expect(totals).toHaveLength(2);
});

test('two registrations of one listener are independent, and errors are logged', async () => {
  const errors: string[] = [];
  const ignore = () => undefined;
  const error = (message: string) => void errors.push(message);
  const logger = { error, warn: ignore, info: ignore, debug: ignore };
  const { gateway } = onMock({}, { logger, logLevel: 'error' });
  const listener = vi.fn<() => void>().mockImplementation(() => {
    throw new Error('broken');
  });
  const stop = gateway.onSpend(listener);
  gateway.onSpend(listener);
  stop();
  await gateway.images.submit(image);
  expect(listener).toHaveBeenCalledExactlyOnceWith(gateway.spend);
  await eventually(() => expect(errors).toHaveLength(1));
});

test('onSpend rejects what is not a function', () => {
  const { gateway } = onMock();
  const given: any = {};
  expect(thrown(() => gateway.onSpend(given)).name).toBe('ConfigurationError');
});

test('a chat client has onSpend too', async () => {
  const { mock } = onMock();
  const { apiKey, baseURL, fetch, clock } = mock;
  const client = new ChatClient({ apiKey, baseURL, fetch, clock });
  const listener = vi.fn<() => void>();
  client.onSpend(listener);
  await client.chat.completions.create(chat);
  expect(listener).toHaveBeenCalledOnce();
});
