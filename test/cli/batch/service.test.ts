import { expect, test } from 'vitest';

import { checkService } from '../../../src/cli/batch/state/service.ts';
import type { JournalService } from '../../../src/cli/batch/state/service.ts';
import type { JournalRow } from '../../../src/internal/journal.ts';

const now: JournalService = { baseURL: 'https://a.example', account: 'key-1', run: 'r' };
const elsewhere = { ...now, baseURL: 'https://b.example' };
const otherJournal = { ...now, run: 'r2' };
const otherKey = { ...now, account: 'key-2' };

const row: JournalRow = {
  usd: 0,
  estimatedUsd: 0,
  isCompleted: false,
  mayBeCharged: true,
  isUncertain: false,
  needsReplay: false,
  isLostChat: false,
};
const rejected = { ...row, mayBeCharged: false };
const open = { ...row, needsReplay: true };
const lost = { ...row, isLostChat: true };

test.each<
  [
    string,
    JournalService | undefined,
    readonly JournalRow[],
    isSameAccount: boolean,
    string | undefined,
  ]
>([
  ['the same service', now, [open, lost, row], false, undefined],
  ['a new journal', undefined, [], false, undefined],
  ['a journal of which nothing was charged', elsewhere, [rejected], false, undefined],
  ['another service', elsewhere, [row], false, 'were sent to https://b.example'],
  ['another service of any account', elsewhere, [row], true, 'were sent to https://b.example'],
  [
    'another key and a request without a receipt',
    otherKey,
    [row, open],
    false,
    'a row of the journal was sent',
  ],
  ['a key of the same account', otherKey, [row, open], true, undefined],
  ['another key and tasks with receipts', otherKey, [row], false, undefined],
  ['another key and a chat that is not sent again', otherKey, [lost], false, undefined],
  ['an unknown service', undefined, [row], false, '--same-account'],
  ['the record of another journal', otherJournal, [row], false, '--same-account'],
  ['an unknown service of the same account', undefined, [row], true, undefined],
])('%s', (_, before, rows, isSameAccount, message) => {
  const content = new Map(rows.map((one, index) => [`${index}`, one]));
  const journal = { run: 'r', rows: content, isDamaged: false };
  const check = () => checkService({ now, before, journal, isSameAccount });
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(message);
});

test('damaged lines of a journal may be about any row', () => {
  const journal = { run: 'r', rows: new Map(), isDamaged: true };
  const check = (before: JournalService | undefined) => () =>
    checkService({ now, before, journal, isSameAccount: false });
  expect(check(now)).not.toThrow();
  for (const before of [undefined, elsewhere, otherKey])
    expect(check(before)).toThrow('Nothing was sent');
});
