import { describe, expect, test } from 'vitest';

import { AbortedError } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { onMock } from '../support.ts';
import { describeChat, lockedJournal, newProcess, runChatBatch } from './support.ts';

describe('a batch that is aborted before its journal is read', () => {
  /** A journal with a chat whose response an earlier run has lost. One of the next readings never ends. */
  async function journalOfLostChat(world: ReturnType<typeof onMock>, hangsAt?: number) {
    const journal = lockedJournal();
    let readings = 0;
    const fault = world.mock.fail({ reset: 'after' });
    await runChatBatch(newProcess(world, { maxRetries: 0 }), ['lost'], { journal });
    fault.remove();
    const read = async function* () {
      readings += 1;
      if (readings === hangsAt) await new Promise(() => undefined);
      yield* journal.read();
    };
    return { ...journal, read };
  }

  const unread = {
    rows: [],
    outcome: 'unknown',
    message: expect.stringContaining(
      'before the journal was read. This batch sent nothing, but an earlier run may have been charged',
    ),
  };

  test('says that an earlier run may have been charged, if it was aborted before it started', async () => {
    const world = onMock();
    const journal = await journalOfLostChat(world);
    const { gateway } = newProcess(world);
    const signal = AbortSignal.abort();
    const batch = gateway.batch(['lost'], describeChat(gateway), { journal, signal });
    expect(await rejection(AbortedError, batch.next())).toMatchObject(unread);
  });

  test.each([
    ['is read', 1],
    ['is read again, because it was locked', 2],
  ])('says the same if it is aborted while the journal %s', async (_, hangsAt) => {
    const world = onMock();
    const journal = await journalOfLostChat(world, hangsAt);
    const stop = new AbortController();
    const { gateway } = newProcess(world);
    const options = { journal, signal: stop.signal };
    const batch = gateway.batch(['lost'], describeChat(gateway), options);
    const ended = rejection(AbortedError, batch.next());
    await world.mock.clock.advance(1_000);
    stop.abort();
    expect(await ended).toMatchObject(unread);
  });

  test('says that nothing was sent if it has no journal', async () => {
    const { gateway } = onMock();
    const signal = AbortSignal.abort();
    const batch = gateway.batch(['a'], describeChat(gateway), { signal });
    expect(await rejection(AbortedError, batch.next())).toMatchObject({
      rows: [],
      outcome: 'not-sent',
    });
  });
});
