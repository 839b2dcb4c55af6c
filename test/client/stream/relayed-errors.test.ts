import { describe, expect, test } from 'vitest';

import { BudgetExceededError, ChatStream, ConnectionError } from '../../../src/index.ts';
import { body, event, params } from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';
import { clientOf, completed, errorReply, scripted, unreachable } from '../support.ts';

/** The stream that a page reads when its server relays `stream`. */
const relayed = (stream: ChatStream) => ChatStream.fromReadableStream(stream.toReadableStream());

describe('an error reaches the page with its class and fields:', () => {
  test('an exceeded budget on the server, with its amounts', async () => {
    const { fetch } = scripted(completed);
    const gateway = clientOf(fetch, { budget: { maxUsd: 0 } });
    const onPage = await rejection(
      BudgetExceededError,
      relayed(gateway.chat.completions.stream(params)).final(),
    );
    expect(onPage).toMatchObject({ outcome: 'not-sent', spentUsd: 0, maxUsd: 0 });
    expect(onPage.message).toContain('Budget exceeded: 0 of 0 USD spent');
  });

  test('a refused connection on the server after a 503, as not sent', async () => {
    const { fetch } = scripted(errorReply(503), unreachable);
    const stream = clientOf(fetch, { maxRetries: 1, random: () => 0 }).chat.completions.stream(
      params,
    );
    expect(await rejection(ConnectionError, relayed(stream).final())).toMatchObject({
      outcome: 'not-sent',
    });
  });

  test('a connection error without a known outcome, as unknown', async () => {
    const failed = event({ error: { name: 'ConnectionError', message: 'Lost', outcome: 'lost' } });
    const stream = ChatStream.fromReadableStream(body([failed]));
    expect(await rejection(ConnectionError, stream.final())).toMatchObject({ outcome: 'unknown' });
  });
});
