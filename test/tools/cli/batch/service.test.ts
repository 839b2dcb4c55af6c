import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { JournalRow } from '../../../../src/client/batch/journal-contents.ts';
import { checkService } from '../../../../src/tools/cli/batch/file-record.ts';
import type { JournalService } from '../../../../src/tools/cli/batch/file-record.ts';
import { accountOf } from '../../../../src/tools/cli/task-store.ts';
import { startService } from '../../../long/cli/service.ts';

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

const local = (baseURL: string, apiKey = 'sk-1'): JournalService => ({
  baseURL,
  account: accountOf({ baseURL, apiKey }),
  run: 'r',
});

test.each<[before: string, after: string, isSame: boolean]>([
  ['http://127.0.0.1:8787', 'http://localhost:8787', true],
  ['http://localhost:8787', 'http://127.0.0.1:8787', true],
  ['http://localhost:8787', 'http://[::1]:8787', true],
  ['http://127.0.0.1', 'http://localhost', true],
  ['http://127.0.0.1:8787/a', 'http://localhost:8787/a', true],
  ['http://127.0.0.1:8787', 'http://localhost:8788', false],
  ['http://127.0.0.1:8787/a', 'http://localhost:8787/b', false],
  ['http://127.0.0.1:8787', 'https://localhost:8787', false],
  // Other addresses and names of this machine can be other services on the same port.
  ['http://127.0.0.1:8787', 'http://127.0.0.2:8787', false],
  ['http://127.0.0.1:8787', 'http://0.0.0.0:8787', false],
  ['http://localhost:8787', 'http://a.localhost:8787', false],
  ['https://localhost.example', 'https://127.0.0.1', false],
])('a journal of %s at %s: the same service: %j', (before, after, isSame) => {
  const journal = { run: 'r', rows: new Map([['1', open]]), isDamaged: false };
  const check = (apiKey?: string) => () =>
    checkService({
      now: local(after, apiKey),
      before: local(before),
      journal,
      isSameAccount: false,
    });
  if (!isSame) return expect(check()).toThrow(`were sent to ${before}`);
  expect(check()).not.toThrow();
  expect(check('sk-2')).toThrow('another API key');
});

test('damaged lines of a journal may be about any row', () => {
  const journal = { run: 'r', rows: new Map(), isDamaged: true };
  const check = (before: JournalService | undefined) => () =>
    checkService({ now, before, journal, isSameAccount: false });
  expect(check(now)).not.toThrow();
  for (const before of [undefined, elsewhere, otherKey])
    expect(check(before)).toThrow('a second time');
});

test('a batch names the answers that its copy has as text, and its results keep them', async () => {
  const { mock, run, folder, read: content, lines } = await startService();
  mock.reply({ text: '=1+1', times: 1 });
  writeFileSync(join(folder, 'q.csv'), '\uFEFFsep=;\r\n\r\nid;prompt\r\na;A\r\n');
  const args = ['batch', 'q.csv', '-m', 'aurora-chat', '--max-usd', '1', '--column', 'answer'];
  const stderr = expect.stringMatching(/formulas begin with ' .*: a\n/);
  expect(await run(args)).toMatchObject({ code: 0, stderr });
  expect(content('q.answer.csv')).toBe("\uFEFFsep=;\r\nid;prompt;answer\r\na;A;'=1+1\r\n");
  expect(lines('q.csv.results.jsonl')).toMatchObject([{ id: 'a', answer: '=1+1' }]);
});
