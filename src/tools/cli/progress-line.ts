import createSpinner from 'yocto-spinner';
import type { Spinner } from 'yocto-spinner';

/** Width of the spinner and the space after it, and one column that stays free. */
const spinnerWidth = 3;

/** A line at the bottom of a terminal that shows progress. Nothing is printed if stderr is not a terminal. */
export class ProgressLine {
  readonly #spinner: Spinner | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #render: (width: number) => string;

  /** `render` returns the text for a terminal of a width. */
  constructor(render: (width: number) => string) {
    this.#render = render;
    const stream = process.stderr;
    if (!stream.isTTY || process.env.TERM === 'dumb') return;
    // The commands handle signals themselves.
    this.#spinner = createSpinner({ stream, handleSignals: false, text: this.#text() }).start();
    this.#timer = setInterval(() => {
      this.update();
    }, 250);
    // The width is read anew for each update. A terminal that has become narrower shows the next one in full.
    stream.on('resize', this.update);
  }

  /** Draws the line again. */
  readonly update = (): void => {
    if (this.#spinner) this.#spinner.text = this.#text();
  };

  /** Removes the line. */
  stop(): void {
    clearInterval(this.#timer);
    process.stderr.off('resize', this.update);
    this.#spinner?.stop();
  }

  #text(): string {
    const width = (process.stderr.columns || 80) - spinnerWidth;
    return this.#render(width).slice(0, width);
  }
}

/** A duration such as `4 s`, `2:05 min` or `1:30 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (count: number) => String(count).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)} min`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)} h`;
}
