import { formatUsd } from '../../money.ts';
import { formatDuration, ProgressLine } from '../terminal.ts';

/** How far a batch is. */
export interface Progress {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  /** What all runs have cost, in USD. */
  readonly usd: number;
  /** How many rows were done before this run. */
  readonly doneBefore: number;
  /** Duration of this run in ms. */
  readonly elapsedMs: number;
}

/** How often a line is printed without a terminal, in ms. */
const lineIntervalMs = 10_000;

const maxBarWidth = 30;

/** Describes the progress in one line. */
function progressText(progress: Progress): string {
  const { total, done, failed, running, usd } = progress;
  const left = remainingMs(progress);
  return [
    `${done}/${total} done`,
    `${failed} failed`,
    `${running} running`,
    formatUsd(usd),
    ...(left === undefined ? [] : [`${formatDuration(left)} left`]),
  ].join(', ');
}

/** The same, with a bar that uses the rest of the width. */
export function progressBar(progress: Progress, width: number): string {
  const text = progressText(progress);
  const barWidth = Math.min(maxBarWidth, width - text.length - 2);
  if (barWidth < 5) return text;
  const { total, done, failed } = progress;
  const filled = total === 0 ? barWidth : Math.floor(((done + failed) / total) * barWidth);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${text}`;
}

/** The time that the remaining rows will take at the speed of this run; undefined before the first result. */
function remainingMs({ total, done, failed, doneBefore, elapsedMs }: Progress): number | undefined {
  const ended = done + failed - doneBefore;
  return ended <= 0 ? undefined : (elapsedMs / ended) * (total - done - failed);
}

/** Calls a function again and again. Returns how to end that. */
type Repeat = (call: () => void, intervalMs: number) => () => void;

const repeat: Repeat = (call, intervalMs) => {
  const timer = setInterval(call, intervalMs);
  return () => {
    clearInterval(timer);
  };
};

/** What is shown while a batch runs. */
export interface ProgressSource {
  readonly progress: Progress;
  /** Is called with a line for each row that has ended. */
  onRow: ((line: string) => void) | undefined;
}

/**
 * Shows the progress: in a terminal, the rows that have ended above a bar; otherwise a line every ten seconds. Returns how to
 * end it.
 */
export function showProgress(
  source: ProgressSource,
  every: Repeat = repeat,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): () => void {
  if (!stream.isTTY) {
    return every(() => {
      stream.write(`${progressText(source.progress)}\n`);
    }, lineIntervalMs);
  }
  const bar = new ProgressLine((width) => progressBar(source.progress, width));
  source.onRow = (line) => {
    stream.write(`${line}\n`);
  };
  return () => {
    source.onRow = undefined;
    bar.stop();
  };
}
