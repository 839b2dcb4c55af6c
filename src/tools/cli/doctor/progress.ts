import type { CheckStatus, DiagnosisCheck } from 'polygate/doctor';
import createSpinner from 'yocto-spinner';
import type { Spinner } from 'yocto-spinner';

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

/** The id of a finding, as in the output of `--json`, and its assumption. */
export function idsOf({ id, assumption }: DiagnosisCheck): string {
  return assumption === undefined ? `(${id})` : `(${id}, ${assumption})`;
}

/** A finding, or checks that were skipped for one reason. */
type Line = Pick<DiagnosisCheck, 'title' | 'status' | 'detail'>;

/** Formats a finding. Lines after the first are indented to the column of the detail. */
function formatLine(style: Style, { title, status, detail }: Line): string {
  const column = markWidth(style) + titleWidth + 1;
  // In a narrow terminal, the details would be a column of single words.
  const isNarrow = style.width - column < 30;
  const indent = isNarrow ? markWidth(style) : column;
  const wrapped = wrap(detail, indent, style.width);
  const isLong = isNarrow || title.length > titleWidth;
  const gap = isLong && style.width !== Infinity ? `\n${' '.repeat(indent)}` : ' ';
  const start = `${mark(style, status)} ${title.padEnd(isLong ? 0 : titleWidth)}${gap}`;
  return start + (status === 'skipped' ? paint(style, 'gray', wrapped) : wrapped);
}

/** What is printed besides the findings. */
export interface Detail {
  /** Whether to print every check that was skipped, and the ids of checks and assumptions. */
  readonly verbose: boolean;
  /** The spending limit, if the paid checks were requested. */
  readonly maxSpendUsd: number | undefined;
}

/**
 * Prints a line for each finding and, in a terminal, a spinner with the title of the running check. Checks that were
 * skipped follow at the end, with a line per reason.
 */
export class Progress {
  readonly #style: Style;
  readonly #detail: Detail;
  readonly #skipped: DiagnosisCheck[] = [];
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
    // A text of several lines would scroll.
    if (this.#spinner) this.#spinner.text = title.slice(0, this.#style.width - 4);
  }

  print(check: DiagnosisCheck): void {
    const { verbose } = this.#detail;
    if (check.status === 'skipped' && !verbose) this.#skipped.push(check);
    else this.#printLine(verbose ? { ...check, detail: `${check.detail} ${idsOf(check)}` } : check);
  }

  stop(): void {
    for (const line of skippedLines(this.#skipped, this.#detail.maxSpendUsd)) {
      this.#printLine({ ...line, status: 'skipped' });
    }
    this.#spinner?.stop();
  }

  #printLine(line: Line): void {
    // The spinner clears and redraws its line.
    console.log(formatLine(this.#style, line));
  }
}

/** The checks that cost money, and the findings about their aspects. */
const paidChecks = /^(chat|stream|image-task|replay|conflict|download)\b/;

/** Whether a check or a finding is one of those that run only with a spending limit. */
export const isPaid = ({ id }: Pick<DiagnosisCheck, 'id'>): boolean => paidChecks.test(id);

const unpaid = 'They cost money and were not run.';
const untested = 'They were not tested. --verbose says why.';

/**
 * Returns one line per reason for which checks were skipped, so that the numbers in the lines add up to that of the result.
 * In a run without a spending limit, the checks that cost money share a line, and so do, in any run, assumptions whose
 * reason needs no action.
 */
export function skippedLines(
  skipped: readonly DiagnosisCheck[],
  maxSpendUsd: number | undefined,
): Pick<DiagnosisCheck, 'title' | 'detail'>[] {
  const isUnpaidRun =
    maxSpendUsd === undefined &&
    skipped.some((check) => isPaid(check) && check.skipReason === 'too-expensive');
  const isUnpaid = (check: DiagnosisCheck) => isUnpaidRun && isPaid(check);
  const isMinor = (check: DiagnosisCheck) =>
    !isPaid(check) && check.assumption !== undefined && check.advice === undefined;
  const reasons = new Set(
    skipped.filter((check) => !isUnpaid(check) && !isMinor(check)).map(({ detail }) => detail),
  );
  const reasonOf = (check: DiagnosisCheck) => {
    if (isUnpaid(check)) return unpaid;
    return isMinor(check) && !reasons.has(check.detail) ? untested : check.detail;
  };
  const groups = new Map<string, DiagnosisCheck[]>();
  for (const check of skipped) {
    const reason = reasonOf(check);
    groups.set(reason, [...(groups.get(reason) ?? []), check]);
  }
  return Array.from(groups, ([reason, checks]) => {
    const [only, ...others] = checks;
    return only !== undefined && others.length === 0
      ? { title: only.title, detail: only.detail }
      : { title: `${checks.length} checks`, detail: reason };
  });
}
