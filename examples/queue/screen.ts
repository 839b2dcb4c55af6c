/** Shows the progress of a queue: a bar in a terminal, and lines of text otherwise. */
import { styleText } from 'node:util';

import { MultiBar } from 'cli-progress';
import type { SingleBar } from 'cli-progress';
import type { RowCounts } from 'polygate/bullmq';

/** The state of a queue. */
export interface Progress {
  counts: RowCounts;
  /** Number of rows that have ended. */
  ended: number;
  total: number;
  /** What the rows that have ended were charged, in USD. */
  usd: number;
  rowsPerMinute: number;
}

/** Where progress and events are shown. */
interface Screen {
  show: (progress: Progress) => void;
  /** Prints a line about something that has happened. */
  log: (line: string) => void;
  /** Ends the display and restores the terminal. */
  stop: () => void;
}

export function showProgress(): Screen {
  return process.stdout.isTTY ? bar() : lines();
}

function bar(): Screen {
  const bars = new MultiBar({
    stream: process.stdout,
    format: `{bar}  {value}/{total}  {rest}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 20,
    hideCursor: true,
    // The rest of the line is cut off instead of wrapped.
    linewrap: false,
    // The program ends by itself on Ctrl-C.
    gracefulExit: false,
  });
  let progressBar: SingleBar | undefined;
  return {
    show(progress) {
      progressBar ??= bars.create(progress.total, 0, { rest: '' });
      progressBar.setTotal(progress.total);
      // styleText adds no colors if NO_COLOR is set.
      progressBar.update(progress.ended, { rest: styleText('dim', describe(progress)) });
    },
    log: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
}

function lines(): Screen {
  let lastPart = -1;
  return {
    show(progress) {
      const { ended, total } = progress;
      // A line for each tenth.
      const part = Math.floor((ended / total) * 10);
      if (part > lastPart) console.log(`${ended}/${total}  ${describe(progress)}`);
      lastPart = part;
    },
    log: (line) => console.log(line),
    stop() {},
  };
}

function describe({ counts, usd, rowsPerMinute }: Progress): string {
  const statuses = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  return [...statuses, `$${usd.toFixed(2)}`, `${rowsPerMinute.toFixed()} rows/min`].join('  ');
}
