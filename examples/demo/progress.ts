import { SingleBar } from 'cli-progress';
import type { TaskUpdate } from 'polygate';

import { dim, plain } from './screen.ts';

/** Shows how far a task is. */
export interface Progress {
  show: (update: TaskUpdate) => void;
  /** Leaves the terminal as it was. */
  stop: () => void;
}

/** A bar in a terminal, lines elsewhere. */
export function showProgress(): Progress {
  return process.stdout.isTTY ? bar() : lines();
}

function bar(): Progress {
  const started = Date.now();
  let status = 'submitting';
  const payload = () => ({ status, elapsed: ((Date.now() - started) / 1000).toFixed(1) });
  const single = new SingleBar({
    stream: process.stdout,
    format: `  {bar}  {percentage} %  ${dim('{elapsed} s  {status}')}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 40,
    hideCursor: true,
    autopadding: true,
  });
  single.start(100, 0, payload());
  // Time goes on between two polls.
  const ticker = setInterval(() => single.update(payload()), 100);
  return {
    show(update) {
      status = wordFor(update);
      single.update(update.progress ?? 0, payload());
    },
    stop() {
      clearInterval(ticker);
      single.stop();
    },
  };
}

function lines(): Progress {
  let shown = '';
  return {
    show(update) {
      const percent = Math.floor((update.progress ?? 0) / 25) * 25;
      const line = `  ${String(percent).padStart(3)} %  ${wordFor(update)}`;
      if (line !== shown) console.log(line);
      shown = line;
    },
    stop() {},
  };
}

function wordFor({ status, pollError }: TaskUpdate): string {
  return pollError === undefined ? status : plain(`${status}, asking again (${pollError.name})`);
}
