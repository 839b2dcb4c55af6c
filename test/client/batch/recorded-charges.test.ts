/** What the journal of a batch says about attempts of a row that are charged each. */
import { expect, test } from 'vitest';

import { collect } from '../../support/rejection.ts';
import { invoiceOf, run, start, sumOf } from './charging-service.ts';
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

test.each(['image', 'chat'] as const)(
  'an attempt whose charge cannot be recorded is the last one of its run: %s',
  async (kind) => {
    const service = start({ fails: () => true, ignoresKeys: true });
    const lines: string[] = [];
    let failures = 0;
    const append = async (line: string) => {
      if (failures === 0 && JSON.parse(line).lost === true) {
        failures += 1;
        throw new Error('ENOSPC');
      }
      lines.push(line);
    };
    const journal = lockedJournal(lines, { append });
    const said = await run(service, kind, 1, { journal, maxUsd: 1 });
    expect(said).toMatchObject({ statuses: ['unknown'], usd: invoiceOf(service.mock) });
    expect(said.messages).toEqual([
      'journal: appending failed for the cost of this row, so it was not sent again. It may have been charged. ' +
        'Make sure that the journal can be written, then run it again with the same journal, which may not count this cost.',
    ]);
    expect(service.sent()).toBe(1);
    const later = await run(service, kind, 0, { journal, maxUsd: 1 });
    expect(later.usd).toBe(said.usd);
  },
);

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
