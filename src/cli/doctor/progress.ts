import type { CheckStatus, DiagnosisCheck } from 'polygate/doctor';
import createSpinner from 'yocto-spinner';
import type { Spinner } from 'yocto-spinner';

import { withUsdSigns } from '../money.ts';
import { paint, wrap } from '../text.ts';
import type { Style } from '../text.ts';

/** Width of the column with the titles. Titles that do not fit are on a separate line. */
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
function checkLine(style: Style, check: DiagnosisCheck, isVerbose: boolean): string {
  const { title, status, assumption } = check;
  const detail = withUsdSigns(check.detail);
  const column = markWidth(style) + titleWidth + 1;
  // In a narrow terminal, the details would be a column of single words.
  const isNarrow = style.width - column < 30;
  const indent = isNarrow ? markWidth(style) : column;
  const text = assumption === undefined || !isVerbose ? detail : `${detail} (${assumption})`;
  const wrapped = wrap(text, indent, style.width);
  const isLong = isNarrow || title.length > titleWidth;
  const gap = isLong && style.width !== Infinity ? `\n${' '.repeat(indent)}` : ' ';
  const start = `${mark(style, status)} ${title.padEnd(isLong ? 0 : titleWidth)}${gap}`;
  return start + (status === 'skipped' ? paint(style, 'gray', wrapped) : wrapped);
}

/** The checks that cost money, and the findings about their aspects. */
const paidChecks = /^(chat|stream|image-task|replay|conflict|download)\b/;

/** What is printed of the checks that were skipped. */
interface Detail {
  /** Whether all of them are printed, with the assumptions that they test. */
  readonly verbose: boolean;
  /** The spending limit, if the paid checks were requested. */
  readonly maxSpendUsd: number | undefined;
}

/**
 * Prints a line for each finding and, in a terminal, a spinner with the title of the running check. Several checks that
 * were skipped for one reason share a line, and so do the paid checks of a free run. Checks of assumptions that were
 * skipped and need no action are printed only on request.
 */
export class Progress {
  readonly #style: Style;
  readonly #detail: Detail;
  /** Number of paid checks that were skipped. */
  #unpaid = 0;
  /** Findings that were skipped for the same reason and are not printed yet. */
  #skipped: DiagnosisCheck[] = [];
  readonly #spinner: Spinner | undefined;

  constructor(style: Style, stream: NodeJS.WriteStream, detail: Detail) {
    this.#style = style;
    this.#detail = detail;
    const animated = style.color && stream.isTTY && process.env.TERM !== 'dumb';
    // The command handles signals itself, to print a summary.
    const spinner = animated ? createSpinner({ stream, handleSignals: false }) : undefined;
    this.#spinner = spinner?.start('Starting');
  }

  start(title: string): void {
    this.#printSkipped();
    // A text of several lines would scroll.
    if (this.#spinner) this.#spinner.text = title.slice(0, this.#style.width - 4);
  }

  print(check: DiagnosisCheck): void {
    const isSame = check.detail === this.#skipped[0]?.detail;
    if (check.status === 'skipped' && !isSame && this.#isHidden(check)) return;
    if (check.status !== 'skipped' || !isSame) this.#printSkipped();
    if (check.status === 'skipped') this.#skipped.push(check);
    else this.#printLine(check);
  }

  stop(): void {
    this.#printSkipped();
    if (this.#unpaid > 0) {
      this.#printLine({
        id: 'paid',
        title: `${this.#unpaid} checks`,
        status: 'skipped',
        detail: 'They cost money and were not run.',
      });
    }
    this.#spinner?.stop();
  }

  #isHidden(check: DiagnosisCheck): boolean {
    const { verbose, maxSpendUsd } = this.#detail;
    if (verbose) return false;
    if (!paidChecks.test(check.id)) return check.assumption !== undefined && !check.advice;
    const isUnpaid = this.#unpaid > 0 || check.skipReason === 'too-expensive';
    if (maxSpendUsd !== undefined || !isUnpaid) return false;
    this.#unpaid += 1;
    return true;
  }

  #printSkipped(): void {
    const skipped = this.#skipped.splice(0);
    const [first] = skipped;
    const checks = new Set(skipped.map(({ id }) => id.split('.')[0]));
    if (first !== undefined && checks.size > 1) {
      this.#printLine({
        id: first.id,
        title: `${skipped.length} checks`,
        status: 'skipped',
        detail: first.detail,
      });
    } else {
      for (const check of skipped) this.#printLine(check);
    }
  }

  #printLine(check: DiagnosisCheck): void {
    // The spinner clears and redraws its line.
    console.log(checkLine(this.#style, check, this.#detail.verbose));
  }
}
