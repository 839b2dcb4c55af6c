import { describe, expect, test } from 'vitest';

import { TaskWaitTimeoutError } from '../../../src/index.ts';
import { clientOf, errorReply, scripted, virtualClock } from '../support.ts';

describe('polls at several paths, none of which is known to exist,', () => {
  /** A client whose service responds with a 404 to each poll, after this time. */
  function searching(delayMs: number) {
    const clock = virtualClock();
    const { fetch, sent } = scripted(async (request) => {
      await clock.sleep(delayMs, request.signal);
      return errorReply(404)(request);
    });
    return { clock, sent, gateway: clientOf(fetch, { clock }) };
  }

  test('share the time of the wait', async () => {
    const { clock, gateway, sent } = searching(900);
    const started = clock.now();
    const wait = gateway.videos.wait('task_1', { waitTimeout: 1_000, pollInterval: 0 });
    await expect(clock.settle(wait)).rejects.toBeInstanceOf(TaskWaitTimeoutError);
    expect(clock.now() - started).toBe(1_000);
    expect(sent).toHaveLength(2);
  });

  test('are not sent after the end of the wait', async () => {
    const { clock, gateway, sent } = searching(500);
    const wait = gateway.videos.wait('task_1', { waitTimeout: 1_000, pollInterval: 0 });
    await expect(clock.settle(wait)).rejects.toBeInstanceOf(TaskWaitTimeoutError);
    expect(sent).toHaveLength(2);
  });

  test('share the totalTimeout of a single poll', async () => {
    const { clock, gateway } = searching(900);
    const started = clock.now();
    const poll = gateway.videos.task('task_1').retrieve({ totalTimeout: 1_000 });
    await expect(clock.settle(poll)).rejects.toMatchObject({
      name: 'RequestTimeoutError',
      message: expect.stringContaining('1000 ms (totalTimeout)'),
    });
    expect(clock.now() - started).toBe(1_000);
  });
});
