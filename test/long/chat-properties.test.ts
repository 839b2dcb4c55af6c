import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { AbortedError, BudgetExceededError, PaymentRequiredError } from '../../src/index.ts';
import type { Journal } from '../../src/index.ts';
import { lostBody } from '../client/batch/lost-body.ts';
import {
  chatRequests,
  describeChat,
  newProcess,
  numbers,
  runChatBatch,
} from '../client/batch/support.ts';
import { onMock } from '../client/support.ts';

/** Another seed and more runs explore further: `POLYGATE_SEED=$RANDOM POLYGATE_RUNS=10`. */
const seed = Number(process.env.POLYGATE_SEED ?? 1);
const numRuns = 600 * Number(process.env.POLYGATE_RUNS ?? 1);

const chats = 'POST /v1/chat/completions';
const rowCount = 12;

const attempt = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 4 });

const processes = fc.record({
  concurrency: fc.constantFrom<number | 'auto'>('auto', 1, 3),
  maxRetries: fc.constantFrom(0, 2),
  maxUsd: fc.constantFrom(undefined, 0, 0.001, 1),
  faults: fc.array(
    fc.oneof(
      fc.record({ reset: fc.constantFrom('before', 'after'), attempt }),
      fc.record({ status: fc.constantFrom(400, 402, 429, 500, 503), attempt }),
      lostBody(attempt),
    ),
    { maxLength: 2 },
  ),
  /** How it ends before it is done: like SIGKILL at a call, with a torn line, with `break`, or with an abort. */
  killAt: fc.option(
    fc.record({
      call: fc.constantFrom('fetch', 'append'),
      number: fc.integer({ min: 1, max: 30 }),
      effect: fc.constantFrom('none', 'torn', 'done'),
    }),
  ),
  breakAfter: fc.option(fc.integer({ min: 1, max: 8 })),
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 3_000 })),
});

type Process = typeof processes extends fc.Arbitrary<infer Value> ? Value : never;
type World = ReturnType<typeof onMock>;

/** Ids of rows whose completions the journal has. */
const completedIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /"type":"completed","id":"(\d+)".*\}$/.exec(line)?.[1] ?? []);

/** Runs the batch in a process that may be killed. Returns the statuses of the rows that it took. */
async function runProcess(world: World, lines: string[], options: Process) {
  const { killAt, breakAfter, abortAfterMs, maxUsd, faults, ...client } = options;
  const never = new Promise<never>(() => undefined);
  const calls = { fetch: 0, append: 0 };
  let isKilled = false;
  let kill = () => {};
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const guard = async <Result>(
    call: 'fetch' | 'append',
    take: () => Promise<Result>,
    tear?: () => void,
  ) => {
    if (isKilled) return never;
    calls[call] += 1;
    if (killAt?.call !== call || killAt.number !== calls[call]) return take();
    isKilled = true;
    // A fault may lose the response.
    if (killAt.effect === 'done') await take().catch(() => undefined);
    if (killAt.effect === 'torn') tear?.();
    kill();
    return never;
  };
  const journal: Journal = {
    read: async function* () {
      yield* lines.slice();
    },
    append: (line) =>
      guard(
        'append',
        async () => {
          lines.push(line);
        },
        () => lines.push(line.slice(0, line.length / 2)),
      ),
    lock: async () => async () => undefined,
  };
  const injected = faults.map((fault) => world.mock.fail({ route: chats, ...fault }));
  const { gateway, mock } = newProcess(world, {
    ...client,
    fetch: (input, init) => guard('fetch', () => world.mock.fetch(input, init)),
  });
  const stop = new AbortController();
  if (abortAfterMs !== null) {
    void mock.clock.sleep(abortAfterMs).then(() => stop.abort());
  }
  const taken = new Map<string, string>();
  const consume = async () => {
    const rows = gateway.batch(numbers(rowCount), describeChat(gateway), {
      journal,
      maxUsd,
      signal: stop.signal,
    });
    try {
      for await (const { id, status } of rows) {
        taken.set(id, status);
        if (taken.size === breakAfter) break;
      }
    } catch (error) {
      const isPause = BudgetExceededError.is(error) || PaymentRequiredError.is(error);
      if (!isPause && !AbortedError.is(error)) throw error;
    }
  };
  await mock.clock.settle(Promise.race([consume(), killed]));
  for (const fault of injected) fault.remove();
  return taken;
}

test('no chat is sent again after an unknown outcome, and no stored completion is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(processes, { minLength: 1, maxLength: 4 }), async (runs) => {
      const world = onMock({ latencyMs: 50, concurrencyLimit: 4 });
      const lines: string[] = [];
      for (const options of runs) await runProcess(world, lines, options);
      const stored = new Set(completedIn(lines));
      const before = chatRequests(world.mock).length;
      const journal: Journal = {
        read: async function* () {
          yield* lines.slice();
        },
        append: async (line) => {
          lines.push(line);
        },
        lock: async () => async () => undefined,
      };
      const rows = await runChatBatch(newProcess(world), numbers(rowCount), { journal });
      // The last run has no faults: each row has its completion, or may have been charged before.
      expect(rows).toHaveLength(rowCount);
      const ended = new Map(rows.map(({ id, status }) => [id, status]));
      for (const id of stored) expect(ended.get(id)).toBe('succeeded');
      expect(chatRequests(world.mock).length - before).toBeLessThanOrEqual(rowCount - stored.size);
      const charges = new Map<string, number>();
      const charged = new Set(world.mock.invoice.map(({ requestId }) => requestId));
      for (const { body, status, requestId } of chatRequests(world.mock)) {
        const prompt = JSON.stringify(body);
        // A rejection is followed by more requests; anything else must be the last one.
        expect(charges.get(prompt) ?? 0).toBe(0);
        const isRejected = [400, 402, 429, 503].includes(Number(status));
        if (!isRejected || charged.has(requestId)) charges.set(prompt, 1);
      }
      expect(world.mock.invoice.length).toBeLessThanOrEqual(rowCount);
    }),
    { seed, numRuns },
  );
});
