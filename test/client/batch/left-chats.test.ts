import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { BatchOptions, Polygate } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import {
  chatRequests,
  describeChat,
  lineTypes,
  lockedJournal,
  newProcess,
  numbers,
  runChatBatch,
} from './support.ts';

const count = (types: unknown[], type: string) => types.filter((own) => own === type).length;

/** Takes some results of a batch, and leaves the loop. */
async function leaveAfter(
  gateway: Polygate,
  results: number,
  rows: number[],
  options: BatchOptions<number> = {},
  { describeRow = describeChat(gateway), beforeBreak = () => Promise.resolve() } = {},
) {
  let taken = 0;
  for await (const _ of gateway.batch(rows, describeRow, options)) {
    taken += 1;
    if (taken < results) continue;
    await beforeBreak();
    break;
  }
}

/** Leaves a batch of two chats after the first one, while the second one waits for its response. */
function leaveSlowChat(fault: Fault, options: BatchOptions<number> = {}) {
  const world = onMock();
  const journal = lockedJournal();
  const { mock, gateway } = world;
  const slow = mock.fail({
    route: 'POST /v1/chat/completions',
    when: ({ body }) => JSON.stringify(body).includes('Label 1'),
    ...fault,
  });
  const shared = { journal, id: String };
  const describeRow = (row: unknown) =>
    gateway.chat.completions.submission(
      { model: 'aurora-chat', messages: [{ role: 'user', content: `Label ${String(row)}` }] },
      row === 1 ? { fallback: ['aurora-chat-mini'] } : {},
    );
  const state = { hasLeft: false };
  // By then, the second one is sent.
  const beforeBreak = () => mock.clock.sleep(1_000);
  const batch = { ...shared, ...options };
  const left = leaveAfter(gateway, 1, [0, 1], batch, { describeRow, beforeBreak }).then(() => {
    state.hasLeft = true;
  });
  return { ...world, journal, shared, state, left, slow };
}

describe('a batch of chats that is left by break', () => {
  test('reads the chats in flight to their end, records them, and sends nothing more', async () => {
    const world = onMock({ concurrencyLimit: 8, latencyMs: 50 });
    const { mock, gateway } = world;
    const journal = lockedJournal();
    const options = { journal, id: String };
    await mock.clock.settle(leaveAfter(gateway, 10, numbers(30), options));
    const sent = chatRequests(mock).length;
    expect(sent).toBeGreaterThan(10);
    expect(sent).toBeLessThan(30);
    expect([count(lineTypes(journal), 'completed'), mock.invoice.length]).toEqual([sent, sent]);
    await mock.clock.advance(60_000);
    expect(chatRequests(mock)).toHaveLength(sent);
    const again = await runChatBatch(newProcess(world), numbers(30), options);
    expect(again.map(({ status }) => status)).toEqual(Array(30).fill('succeeded'));
    expect(mock.invoice).toHaveLength(30);
  });

  test('keeps the lock until a slow chat has been read, however long that takes', async () => {
    const { mock, journal, shared, state, left } = leaveSlowChat({ delayMs: 50_000 });
    await mock.clock.advance(40_000);
    expect([state.hasLeft, count(lineTypes(journal), 'completed')]).toEqual([false, 1]);
    const early = runChatBatch(newProcess({ mock }), [0, 1], shared);
    expect((await rejection(ConfigurationError, early)).message).toContain('is in use');
    await mock.clock.settle(left);
    expect(count(lineTypes(journal), 'completed')).toBe(2);
    await runChatBatch(newProcess({ mock }), [0, 1], shared);
    expect([chatRequests(mock).length, mock.invoice.length]).toEqual([2, 2]);
  });

  test.each<[string, Fault]>([
    ['a response that asks for a retry', { status: 429, retryAfter: 30 }],
    ['a model that is over capacity', { status: 503 }],
    ['a rejection', { status: 400 }],
  ])('does not send a chat in flight again after %s', async (_, fault) => {
    const { mock, journal, shared, left, slow } = leaveSlowChat({ ...fault, delayMs: 10_000 });
    await mock.clock.advance(12_000);
    await left;
    expect(chatRequests(mock)).toHaveLength(2);
    const lines = ['submit', 'completed', 'refused'];
    expect(lines.map((type) => count(lineTypes(journal), type))).toEqual([2, 1, 1]);
    slow.remove();
    await mock.clock.advance(600_000);
    expect(chatRequests(mock)).toHaveLength(2);
    const rows = await runChatBatch(newProcess({ mock }), [0, 1], shared);
    expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(mock.invoice).toHaveLength(2);
  });

  test('ends at once when the caller aborts, and the chats in flight are unknown', async () => {
    const stop = new AbortController();
    const { mock, shared, state, left } = leaveSlowChat(
      { delayMs: 50_000 },
      { signal: stop.signal },
    );
    await mock.clock.advance(10_000);
    expect(state.hasLeft).toBe(false);
    stop.abort();
    await mock.clock.advance(1);
    await left;
    const rows = await runChatBatch(newProcess({ mock }), [0, 1], shared);
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['succeeded', 'unknown']);
    expect(chatRequests(mock)).toHaveLength(2);
  });
});
