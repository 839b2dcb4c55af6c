import { expect, test } from 'vitest';

import type { JournalRow } from '../../../../src/client/batch/journal-contents.ts';
import { rowsText } from '../../../../src/tools/cli/batch/work.ts';
import type { WorkRow } from '../../../../src/tools/cli/batch/work.ts';

const sent: JournalRow = {
  usd: 0.02,
  estimatedUsd: 0,
  isCompleted: false,
  mayBeCharged: true,
  isUncertain: false,
  needsReplay: false,
  isLostChat: false,
};

const row = (recorded?: JournalRow, isDone = false): WorkRow => ({
  line: 1,
  id: 'a',
  kind: recorded?.isCompleted || recorded?.isLostChat ? 'chat' : 'image',
  model: 'm',
  prompt: 'A harbor',
  system: undefined,
  params: {},
  journalId: 'a',
  hash: 'h',
  saved: undefined,
  isDone,
  recorded,
});

const saved = row({ ...sent, status: 'succeeded' }, true);
const deleted = row({ ...sent, status: 'succeeded' });
const failed = row({ ...sent, status: 'failed', taskId: 't' });
const rejected = row({ ...sent, mayBeCharged: false, status: 'failed' });
const waiting = row({ ...sent, taskId: 't' });
const unconfirmed = row({ ...sent, needsReplay: true });
const answered = row({ ...sent, isCompleted: true });
const lost = row({ ...sent, isLostChat: true });

test.each<[string, WorkRow[], resendUnknown: boolean, text: string]>([
  ['the first run', [row(), row()], false, '2 (image), 0 of them done'],
  ['a finished batch', [saved, saved], false, '2 (image), all of them done by earlier runs'],
  ['finished chats', [answered], false, '1 (chat), all of them done by earlier runs'],
  [
    'deleted files',
    [deleted, saved],
    false,
    '2 (image), 1 of them done, 1 done earlier and to be saved again',
  ],
  ['a failed task', [saved, failed], false, '2 (image), 1 of them done, 1 failed'],
  ['rejected and unconfirmed rows', [rejected, unconfirmed], false, '2 (image), 0 of them done'],
  ['a running task', [waiting, row()], false, '2 (image), 0 of them done, 1 submitted earlier'],
  ['a lost chat', [lost], false, '1 (chat), 0 of them done, 1 unknown'],
  ['a lost chat that is sent again', [lost], true, '1 (chat), 0 of them done'],
])('the rows of a batch are described by what is left to do: %s', (_, work, resend, text) => {
  expect(rowsText(work, resend)).toBe(text);
});
