import { expect, test } from 'vitest';

import { errorReply, hang, image, reset } from '../support.ts';
import type { Reply } from '../support.ts';
import { chatPath, fetchChat, imagePath, post, scriptedClient } from './support.ts';

const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] };

test.each([429, 502])(
  'a request that may have been charged resolves with its last response, a %i, when no slot becomes free',
  async (status) => {
    let attempts = 0;
    const service: Reply = (request) => {
      if (request.url.endsWith(chatPath)) return hang(request);
      attempts += 1;
      if (attempts === 1) return reset(request);
      // Takes the slot while the generation waits for its third attempt.
      fetchChat(gateway, chat).catch(() => undefined);
      return errorReply(status)(request);
    };
    const { gateway, settle } = scriptedClient([service], {
      concurrency: 1,
      maxQueueTime: 10_000,
    });
    const response = await settle(gateway.fetch(imagePath, post(image)));
    expect(attempts).toBe(2);
    expect(response.status).toBe(status);
    // A library would repeat a request that rejects, and would use another key.
    expect(response.headers.get('x-should-retry')).toBe('false');
  },
);
