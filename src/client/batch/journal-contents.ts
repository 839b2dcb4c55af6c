import { ConfigurationError } from '../../errors/base.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { parseLine } from './journal-line.ts';
import { addLine } from './row-history.ts';
import type { RowHistory } from './row-history.ts';

/** How a `run` line starts, up to its id. */
const runLineStart = '{"v":1,"type":"run"';

/** Marks the damaged line before it as one that was torn by the end of a process. */
export const tornLine = '{"v":1,"type":"torn"}';

/**
 * Whether a line is a `run` line, complete or torn: it is written before the first submit, so nothing was sent. A second
 * brace begins another line, whose line end was lost or is not a line feed.
 */
function isRunLine(text: string): boolean {
  return runLineStart.startsWith(text.slice(0, runLineStart.length)) && text.lastIndexOf('{') <= 0;
}

/** What the lines of a journal say, as far as they were read. */
export class JournalContents {
  /** What is recorded about each row, by id. */
  readonly rows = new Map<string, RowHistory>();
  /** One error for each damaged line. */
  readonly damaged: ConfigurationError[] = [];
  #runId: string | undefined;
  /** Whether there are no lines but blank lines and `run` lines, complete or torn. */
  #isEmpty = true;
  #isTorn = false;
  /** Numbers of the damaged lines that may have been acted on. */
  readonly #damagedLines: number[] = [];
  /** Number of lines. */
  #count = 0;

  /**
   * The id of the run, from which all keys are derived; undefined if the journal is empty but for torn `run` lines.
   *
   * @throws {@link ConfigurationError} when the journal has lines but no readable `run` line. A new run would derive
   * new keys, and rows that were already paid for would be paid for again.
   */
  openRun(): string | undefined {
    if (this.#runId === undefined && !this.#isEmpty) {
      const parts = {
        summary:
          'journal: its first line, from which the keys of all rows are derived, is missing or damaged.',
        charge: nothingSent,
        advice: 'Restore it from a backup: a new journal would pay for the rows of this one again.',
      };
      throw createError(ConfigurationError, parts, { cause: this.damaged[0] });
    }
    return this.#runId;
  }

  /** Whether the last line was torn by the end of a process. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  /** The number of damaged lines that may be about a row. */
  get damagedCount(): number {
    return this.#damagedLines.length;
  }

  /** Whether a damaged line may be about a row with this history, because it is later than all of its lines. */
  isIncompleteFor({ lineNumber = 0 }: RowHistory): boolean {
    const lines = this.#isTorn ? this.#damagedLines.slice(0, -1) : this.#damagedLines;
    return lines.some((number) => number > lineNumber);
  }

  /** Adds the next line. */
  add(text: string): void {
    this.#count += 1;
    if (!text.trim()) return;
    this.#isEmpty &&= isRunLine(text);
    const wasTorn = this.#isTorn;
    this.#isTorn = false;
    try {
      const line = parseLine(text);
      if (line.type === 'run') this.#runId ??= line.run;
      else if (line.type === 'torn') this.#damagedLines.pop();
      else this.rows.set(line.id, addLine(this.rows.get(line.id) ?? {}, line, this.#count));
    } catch (error) {
      this.#addDamaged(text, error, wasTorn);
    }
  }

  /** The other lines stay usable. */
  #addDamaged(text: string, error: unknown, wasTorn: boolean): void {
    // The message of JSON.parse quotes the line, which may contain a prompt.
    const reason = ConfigurationError.is(error) ? error.message : 'It is not JSON.';
    const message = `journal: line ${this.#count} is damaged and was ignored. ${reason}`;
    this.damaged.push(new ConfigurationError(message));
    // A torn `torn` or `run` line does not concern any row.
    if (tornLine.startsWith(text) || isRunLine(text)) this.#isTorn = wasTorn;
    else {
      this.#damagedLines.push(this.#count);
      this.#isTorn = true;
    }
  }

  /** Records that a `torn` line was appended. */
  markTorn(): void {
    this.#damagedLines.pop();
    this.#isTorn = false;
  }
}
