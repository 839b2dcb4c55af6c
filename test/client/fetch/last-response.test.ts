import { expect, test } from 'vitest';

import { caught, errorReply, hang, image, reset, textReply } from '../support.ts';
import type { Reply } from '../support.ts';
import { chatPath, fetchChat, imagePath, post, scriptedClient } from './support.ts';

/** Sends a generation whose first response is lost, and whose last one is this. Then it waits for a slot in vain. */
function generateWithoutSlot(last: Reply) {
  let attempts = 0;
  const service: Reply = (request) => {
    if (request.url.endsWith(chatPath)) return hang(request);
    attempts += 1;
    if (attempts === 1) return reset(request);
    // Takes the slot while the generation waits for its third attempt.
    fetchChat(gateway, chat).catch(() => undefined);
    return last(request);
  };
  const { gateway, settle } = scriptedClient([service], { concurrency: 1, maxQueueTime: 10_000 });
  return settle(gateway.fetch(imagePath, post(image)));
}

const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] };

test.each([429, 502])(
  'a request that may have been charged resolves with its last status, a %i, when no slot becomes free',
  async (status) => {
    const response = await generateWithoutSlot(errorReply(status));
    expect(response.status).toBe(status);
    // A library would repeat a request that rejects, and would use another key.
    expect(response.headers.get('x-should-retry')).toBe('false');
  },
);

test('a request that may have been charged rejects when no slot becomes free after a truncated response', async () => {
  const truncated = textReply(200, '{"id":', 'application/json');
  expect(await caught(generateWithoutSlot(truncated))).toMatchObject({
    name: 'ConcurrencyLimitError',
    outcome: 'unknown',
  });
});
