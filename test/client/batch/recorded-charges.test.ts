/** What the journal of a batch says about attempts of a row that are charged each. */
import { describe, expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { everyOther, invoiceOf, run, start, sumOf } from './charging-service.ts';
import { describeImage, lockedJournal, memoryJournal, numbers } from './support.ts';
import type { MemoryJournal } from './support.ts';

test.each(['image', 'chat'] as const)(
  'a crash between two attempts of a row loses none of their charges: %s',
  async (kind) => {
    const written: string[] = [];
    const left: string[][] = [];
    const onRequest = () => void left.push([...written]);
    const service = start({ fails: (request) => request < 2, ignoresKeys: true, onRequest });
    // It takes longer than the pause before a retry.
    const append = async (line: string) => {
      await service.mock.clock.sleep(20_000);
      written.push(line);
    };
    const journal = lockedJournal(written, { append });
    const { usd } = await run(service, kind, 1, { journal, maxUsd: 1 });
    const priceUsd = sumOf([usd / 3]);
    expect(left).toHaveLength(3);
    for (const [attempts, lines] of left.entries()) {
      const crashed: MemoryJournal = lockedJournal(lines);
      // A batch without rows says what earlier runs have spent.
      const said = await run(service, kind, 0, { journal: crashed, maxUsd: 1 });
      expect(said.usd).toBe(sumOf([attempts * priceUsd]));
    }
    const [, , lines = []] = left;
    const before = invoiceOf(service.mock);
    const options = { journal: lockedJournal(lines), maxUsd: 1, resendUnknown: kind === 'chat' };
    const next = await run(service, kind, 1, options);
    expect(next.statuses).toEqual(['succeeded']);
    // The next run was charged as well. What the crashed one was charged after its last line is an estimate or lost.
    expect(invoiceOf(service.mock)).toBe(sumOf([before, priceUsd]));
    expect(next.saidUsd).toBeGreaterThanOrEqual(usd);
  },
);

/** A journal that rejects lines with a charge, as often as a test says. */
function failingJournal(failures: number) {
  const lines: string[] = [];
  let left = failures;
  const append = async (line: string) => {
    if (JSON.parse(line).usd > 0 && left > 0) {
      left -= 1;
      throw new Error('ENOSPC');
    }
    lines.push(line);
  };
  return lockedJournal(lines, { append });
}

describe.each(['image', 'chat'] as const)('a charge that cannot be recorded: %s', (kind) => {
  test('is recorded before anything else is sent', async () => {
    // Both attempts of the first row, and all of the others.
    const service = start({ fails: everyOther, ignoresKeys: true });
    for (const failures of [1, 1, 1]) {
      const journal = failingJournal(failures);
      const before = invoiceOf(service.mock);
      const said = await run(service, kind, 3, { journal, maxUsd: 1, maxInFlight: 1 });
      const charged = sumOf([invoiceOf(service.mock), -before]);
      expect(said).toMatchObject({ statuses: ['succeeded', 'succeeded', 'succeeded'] });
      expect(said.usd).toBe(charged);
      const later = await run(service, kind, 0, { journal, maxUsd: 1 });
      expect(later).toMatchObject({ usd: charged, estimatedUsd: undefined });
    }
  });

  test('is the last one of its run if that is not possible', async () => {
    const service = start({ fails: () => true, ignoresKeys: true });
    const journal = failingJournal(Infinity);
    const said = await run(service, kind, 3, { journal, maxUsd: 1, maxInFlight: 1 });
    expect(said).toMatchObject({ statuses: ['unknown'], usd: invoiceOf(service.mock) });
    expect(service.sent()).toBe(1);
    expect(said.messages).toEqual([
      expect.stringContaining('so it was not sent again.'),
      expect.stringMatching(
        /^journal: appending failed \(Error: ENOSPC\), so nothing more was sent\. Row 0 was charged [\d.]+ USD that/,
      ),
    ]);
    expect(said.messages[1]).toContain(` ${said.usd} USD `);
  });

  test('ends the run with an error although its row has succeeded', async () => {
    const service = start({ fails: () => false, ignoresKeys: true });
    const journal = failingJournal(Infinity);
    const said = await run(service, kind, 3, { journal, maxUsd: 1, maxInFlight: 1 });
    expect(said).toMatchObject({ statuses: ['succeeded'], usd: invoiceOf(service.mock) });
    expect(service.sent()).toBe(1);
    expect(said.messages).toEqual([
      expect.stringContaining(`Row 0 was charged ${said.usd} USD that the journal does not have.`),
    ]);
  });
});

test('a recovery records a charge before it sends anything else', async () => {
  const service = start({ fails: (request) => request < 4, ignoresKeys: true }, { maxRetries: 0 });
  const journal = { ...failingJournal(0), storeParams: true };
  await run(service, 'image', 2, { journal, maxUsd: 1 });
  const failing = { ...failingJournal(1), storeParams: true };
  failing.lines.push(...journal.lines);
  const recovery = service.create().recover(failing, { maxUsd: 1, maxInFlight: 1 });
  await service.mock.clock.settle(collect(recovery));
  const later = await run(service, 'image', 0, { journal: failing, maxUsd: 1 });
  expect(later.usd).toBe(invoiceOf(service.mock));
});

test('a batch with a limit that its caller leaves keeps its journal locked until each charge is recorded', async () => {
  const service = start({ fails: (request) => request === 1 }, { maxRetries: 0 });
  const lines: string[] = [];
  const append = async (line: string) => {
    if (JSON.parse(line).lost === true) await service.mock.clock.sleep(500);
    lines.push(line);
  };
  const journal = lockedJournal(lines, { append });
  const gateway = service.create();
  const leave = async () => {
    const rows = gateway.batch(numbers(2), describeImage(gateway), { journal, maxUsd: 1 });
    for await (const { status } of rows) {
      expect(status).toBe('succeeded');
      await service.mock.clock.sleep(100);
      break;
    }
  };
  await service.mock.clock.settle(leave());
  expect(invoiceOf(service.mock)).toBe(0.04);
  const later = await run(service, 'image', 0, { journal, maxUsd: 1 });
  expect(later).toMatchObject({ usd: 0.04, estimatedUsd: undefined });
});

test('keeps the charge that only one of two runs at the same time knows', async () => {
  const service = start({ fails: () => false, replayUsd: '0' });
  const journal = memoryJournal();
  const submit = async () => {
    const gateway = service.create();
    await collect(gateway.batch([0], describeImage(gateway), { journal }));
  };
  await service.mock.clock.settle(Promise.all([submit(), submit()]));
  expect(service.sent()).toBe(2);
  expect(invoiceOf(service.mock)).toBe(0.02);
  expect(await run(service, 'image', 0, { journal })).toMatchObject({ usd: 0.02 });
});

describe.each([
  ['aborts the batch', { abortsAt: 100 }, {}],
  ['leaves the batch', { leavesAt: 100 }, {}],
  ['has set a timeout', {}, { timeout: 100, maxRetries: 0 }],
  ['has set a timeout, and another attempt succeeds', {}, { timeout: 100, maxRetries: 1 }],
] as const)('a charge that arrives after the caller %s', (_, caller, options) => {
  test.each([false, true])('counts in the next run; ignores keys: %s', async (ignoresKeys) => {
    const { abortsAt, leavesAt } = { abortsAt: 0, leavesAt: 0, ...caller };
    const service = start(
      {
        fails: () => false,
        ignoresKeys,
        onResponse: async (request) => {
          if (request === 0) await service.mock.clock.sleep(5_000);
        },
      },
      options,
    );
    // The listed price is too low, so that only the charge itself is enough.
    const body = { id: 'prism-image', type: 'image', pricing: { unitPriceUsd: 0.002 } };
    service.mock.fail({ route: 'GET /v1/models/prism-image', body });
    const journal = lockedJournal();
    const { clock } = service.mock;
    const gateway = service.create();
    const stop = new AbortController();
    const work = async () => {
      const rows = gateway.batch([0], describeImage(gateway), {
        journal,
        maxUsd: 1,
        signal: stop.signal,
      });
      const next = rows.next();
      if (abortsAt) void clock.sleep(abortsAt).then(() => stop.abort());
      if (!leavesAt) return next.then(() => rows.next());
      await clock.sleep(leavesAt);
      return rows.return();
    };
    await clock.settle(work().catch(() => undefined));
    await clock.advance(10_000);
    const later = await run(service, 'image', 0, { journal, maxUsd: 1 });
    expect(invoiceOf(service.mock)).toBeGreaterThan(0.01);
    expect(later.saidUsd).toBeGreaterThanOrEqual(invoiceOf(service.mock));
  });
});
