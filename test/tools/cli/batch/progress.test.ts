import { expect, test } from 'vitest';

import { showProgress } from '../../../../src/tools/cli/batch/progress.ts';

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
  const stop = showProgress(
    () => ({
      total: 4,
      done,
      failed: 1,
      running: 2,
      usd: 0.02,
      doneBefore: 0,
      elapsedMs: 20_000,
    }),
    every,
    stream,
  );
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
});
