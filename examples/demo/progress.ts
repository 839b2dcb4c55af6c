import { SingleBar } from 'cli-progress';
import type { TaskUpdate } from 'polygate';

import { dim, plain } from './screen.ts';

/** Shows the progress of a task. */
export interface Progress {
  show: (update: TaskUpdate) => void;
  /** Ends the display and restores the terminal. */
  stop: () => void;
}

/** Shows a progress bar in a terminal, and lines of text otherwise. */
export function showProgress(): Progress {
  return process.stdout.isTTY ? bar() : lines();
}

function bar(): Progress {
  const startedAt = Date.now();
  let status = 'submitting';
  const payload = () => ({ status, elapsed: ((Date.now() - startedAt) / 1000).toFixed(1) });
  const progressBar = new SingleBar({
    stream: process.stdout,
    format: `  {bar}  {percentage}%  ${dim('{elapsed} s  {status}')}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 40,
    hideCursor: true,
    autopadding: true,
  });
  progressBar.start(100, 0, payload());
  // Updates the elapsed time between polls.
  const timer = setInterval(() => progressBar.update(payload()), 100);
  return {
    show(update) {
      status = label(update);
      progressBar.update(update.progress ?? 0, payload());
    },
    stop() {
      clearInterval(timer);
      progressBar.stop();
    },
  };
}

function lines(): Progress {
  let lastLine = '';
  return {
    show(update) {
      const percent = Math.floor((update.progress ?? 0) / 25) * 25;
      const line = `  ${String(percent).padStart(3)}%  ${label(update)}`;
      if (line !== lastLine) console.log(line);
      lastLine = line;
    },
    stop() {},
  };
}

function label({ status, pollError }: TaskUpdate): string {
  return pollError === undefined
    ? status
    : plain(`${status}, poll failed (${pollError.name}), retrying`);
}
