import type { CheckStatus, DiagnosisCheck } from 'polygate/doctor';
import createSpinner from 'yocto-spinner';
import type { Spinner } from 'yocto-spinner';

import { paint, wrap } from './text.ts';
import type { Style } from './text.ts';

/** Width of the column with the titles. Titles that do not fit are on a line of their own. */
const titleWidth = 34;

const symbols = { ok: '✔', warning: '▲', failed: '✖', skipped: '–' } as const;
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const;

/** Returns the mark of a status: a colored symbol, or a word of fixed width. */
export function mark(style: Style, status: CheckStatus): string {
  return style.color ? paint(style, colors[status], symbols[status]) : status.padEnd(8);
}

/** Width of a mark with the space after it. */
export function markWidth(style: Style): number {
  return style.color ? 2 : 9;
}

/** Formats a finding. Lines after the first are indented to the column of the detail. */
function checkLine(style: Style, check: DiagnosisCheck): string {
  const { title, detail, status, assumption } = check;
  const indent = markWidth(style) + titleWidth + 1;
  const text = assumption === undefined ? detail : `${detail} (${assumption})`;
  const wrapped = wrap(text, indent, style.width);
  const isLong = title.length > titleWidth;
  const gap = isLong && style.width !== Infinity ? `\n${' '.repeat(indent)}` : ' ';
  const start = `${mark(style, status)} ${title.padEnd(isLong ? 0 : titleWidth)}${gap}`;
  return start + (status === 'skipped' ? paint(style, 'gray', wrapped) : wrapped);
}

/** Prints a line for each finding and, in a terminal, a spinner with the title of the running check. */
export class Progress {
  readonly #style: Style;
  readonly #spinner: Spinner | undefined;

  constructor(style: Style, stream: NodeJS.WriteStream) {
    this.#style = style;
    const animated = style.color && stream.isTTY && process.env.TERM !== 'dumb';
    // The command handles signals itself, to print a summary.
    const spinner = animated ? createSpinner({ stream, handleSignals: false }) : undefined;
    this.#spinner = spinner?.start('Starting');
  }

  start(title: string): void {
    // A text of several lines would scroll.
    if (this.#spinner) this.#spinner.text = title.slice(0, this.#style.width - 4);
  }

  print(check: DiagnosisCheck): void {
    // The spinner clears and redraws its line.
    console.log(checkLine(this.#style, check));
  }

  stop(): void {
    this.#spinner?.stop();
  }
}
