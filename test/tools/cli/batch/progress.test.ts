import { expect, test } from 'vitest';

import { rowText } from '../../../../src/tools/cli/batch/batch-run.ts';
import type { RowResult } from '../../../../src/tools/cli/batch/batch-run.ts';
import { showProgress } from '../../../../src/tools/cli/batch/progress.ts';
import type { ProgressSource } from '../../../../src/tools/cli/batch/progress.ts';

const progress = {
  total: 4,
  done: 0,
  failed: 1,
  running: 2,
  usd: 0.02,
  doneBefore: 0,
  elapsedMs: 20_000,
};

test('without a terminal, a line is printed every ten seconds until the end', () => {
  const lines: string[] = [];
  const stream = { isTTY: false, write: (text: unknown) => lines.push(String(text)) > 0 };
  let tick: (() => void) | undefined;
  const intervals: number[] = [];
  const every = (call: () => void, intervalMs: number) => {
    tick = call;
    intervals.push(intervalMs);
    return () => (tick = undefined);
  };
  let done = 0;
  const source: ProgressSource = {
    get progress() {
      return { ...progress, done };
    },
    onRow: undefined,
  };
  const stop = showProgress(source, every, stream);
  expect([lines, intervals]).toEqual([[], [10_000]]);
  tick?.();
  done = 1;
  tick?.();
  expect(lines).toEqual([
    '0/4 done, 1 failed, 2 running, $0.02, 1:00 min left\n',
    '1/4 done, 1 failed, 2 running, $0.02, 20 s left\n',
  ]);
  stop();
  expect(tick).toBeUndefined();
  // A log of thousands of rows would hide what is important.
  expect(source.onRow).toBeUndefined();
});

test('in a terminal, rows are shown when they end', () => {
  const lines: string[] = [];
  const stream = { isTTY: true, write: (text: unknown) => lines.push(String(text)) > 0 };
  const source: ProgressSource = { progress, onRow: undefined };
  const stop = showProgress(source, undefined, stream);
  source.onRow?.('r1: out/r1.png');
  stop();
  expect([lines, source.onRow]).toEqual([['r1: out/r1.png\n'], undefined]);
});

const clean = (text: string) => text.replaceAll('sk-1', '…');
const none = { files: [], urls: [] };

test.each<[Omit<RowResult, 'usd'>, text: string]>([
  [{ ...none, id: 'r1', status: 'succeeded', files: ['a.png', 'a-2.png'] }, 'r1: a.png, a-2.png'],
  [{ ...none, id: 'r1', status: 'failed', error: '402 x' }, 'r1: 402 x'],
  [{ ...none, id: 'r1', status: 'succeeded', answer: 'Yes.' }, 'r1: Yes.'],
  [
    { ...none, id: 'r1', status: 'succeeded', answer: `${'🚢'.repeat(58)}sk-1 and more` },
    `r1: ${'🚢'.repeat(58)}… …`,
  ],
  [{ ...none, id: 'r1', status: 'succeeded' }, 'r1: succeeded'],
])('a row that has ended is one line: %j', (row, text) => {
  expect(rowText(row, clean)).toBe(text);
});
