import { describe, expect, test } from 'vitest';

import type { RequestOptions } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { allCalls } from '../../support/calls.ts';
import type { Documented, Safety } from '../../support/calls.ts';
import { caught, chat, onMock } from '../support.ts';

const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'any' };

const routes: readonly (readonly [string, Safety, Documented['call']])[] = [
  ...allCalls.map(({ sent, safety, call }) => [sent, safety, call] as const),
  ['POST /v1/audio/tasks', 'keyed', (gateway, o) => gateway.audio.speech.submit(speech, o)],
  [
    'POST /v1/chat/completions',
    'once',
    (gateway, o) => gateway.chat.completions.stream(chat, o).final(),
  ],
];

/** Failures of every attempt, and the requests that are retried after them. */
const always: readonly Safety[] = ['safe', 'keyed', 'once'];
const ifSafe: readonly Safety[] = ['safe', 'keyed'];
const never: readonly Safety[] = [];
const failures: readonly (readonly [string, Fault, readonly Safety[], string | undefined])[] = [
  ['a refused connection', { unreachable: true }, always, 'not-sent'],
  ['a reset before the request is processed', { reset: 'before' }, ifSafe, 'unknown'],
  ['a reset after the request is processed', { reset: 'after' }, ifSafe, 'unknown'],
  ['no response in time', { stallHeaders: true }, ifSafe, 'unknown'],
  ['a body that stalls', { stallBody: 9 }, ifSafe, 'unknown'],
  ['a 408', { status: 408, code: 'request_timeout' }, ifSafe, 'unknown'],
  ...[500, 502, 504].map((status) => [`a ${status}`, { status }, ifSafe, 'unknown'] as const),
  ['a 503', { status: 503 }, always, 'rejected'],
  [
    'a 503 for materials',
    { status: 503, code: 'material_channel_unavailable' },
    always,
    'rejected',
  ],
  [
    'a 503 with an uncertain material',
    { status: 503, code: 'material_create_outcome_uncertain' },
    ifSafe,
    'unknown',
  ],
  ['a 429 for the request rate', { status: 429, code: 'rate_limited' }, always, 'rejected'],
  [
    'a 429 without a code',
    { status: 429, body: { error: { message: 'Slow down' } } },
    always,
    'rejected',
  ],
  // A 404 without a code makes the client try the other poll paths.
  ['a 404', { status: 404, code: 'task_not_found' }, never, 'rejected'],
  ...[400, 401, 402, 403, 409, 422].map(
    (status) => [`a ${status}`, { status }, never, 'rejected'] as const,
  ),
  [
    'a 503 for a key conflict',
    { status: 503, code: 'material_idempotency_conflict' },
    never,
    'rejected',
  ],
];

describe.each(failures)('after %s', (_, fault, retried, outcome) => {
  test.each(routes)(
    '%s is retried only if that is allowed for "%s" requests',
    async (route, safety, call) => {
      let sent = 0;
      const { mock, gateway } = onMock();
      mock.fail({ route, ...fault });
      const counting: typeof mock.fetch = (input, init) => {
        sent += 1;
        return mock.fetch(input, init);
      };
      const client = gateway.withOptions({
        fetch: counting,
        timeout: 5_000,
        streamIdleTimeout: 5_000,
      });
      const run = (options: RequestOptions) => {
        sent = 0;
        return mock.clock.settle(caught(call(client, options)));
      };
      const stalledStream = 'stallBody' in fault && /stream/.test(call.toString());
      const error = await run({});
      expect(sent).toBe(retried.includes(safety) && !stalledStream ? 4 : 1);
      // The error of a GET may have no outcome, because a GET is never charged.
      if (safety !== 'safe' || error.outcome !== undefined) expect(error.outcome).toBe(outcome);
      const tries = mock.requests.map(({ headers, bodyText }) =>
        [headers['x-idempotency-key'], headers['idempotency-key'], bodyText].join(' '),
      );
      expect(new Set(tries).size).toBeLessThanOrEqual(1);
      if (safety === 'keyed') expect(error.idempotencyKey).toMatch(/^[!-~]{8,200}$/);
      expect(mock.invoice.length).toBeLessThanOrEqual(1);
      await run({ maxRetries: 0 });
      expect(sent).toBe(1);
    },
  );
});
