import type { BatchProgress, ErrorReason, Journal, Polygate, SucceededGeneration } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { commandMessage } from '../failure.ts';
import type { EarlyEnd } from '../run-command.ts';
import type { FileRecord } from './file-record.ts';
import type { Progress, ProgressSource } from './progress.ts';
import { saveRow } from './save-row.ts';
import type { WorkRow } from './work.ts';

/** What a run needs besides its rows. */
export interface RunContext {
  readonly gateway: Polygate;
  readonly journal: Journal;
  readonly record: FileRecord;
  readonly template: string;
  /** A folder for files that are not complete. */
  readonly staging: string;
  readonly force: boolean;
  readonly maxUsd: number | undefined;
  /** What earlier runs have cost, in USD. */
  readonly chargedUsd: number;
  readonly resendUnknown: boolean;
  readonly end: EarlyEnd;
  /** Removes the API key from a text. */
  readonly clean: (text: string) => string;
}

/** How a row has ended. */
export type RowEnd = Omit<RowResult, 'id' | 'usd'>;

/** How a run has ended. */
export interface RunEnd {
  /** The rows that have ended, by id. */
  readonly rows: ReadonlyMap<string, RowEnd>;
  /** Why the run ended before all rows had. */
  readonly stopped: unknown;
  /** Whether a result that was paid for could not be saved. */
  readonly isUnsaved: boolean;
  /** Duration of the run in ms. */
  readonly elapsedMs: number;
  /** Whether the rows that have ended can still be read in the terminal. */
  readonly areShown: boolean;
}

/** How many rows can be read in the smallest terminal after the run. */
const maxShown = 12;

/** How many rows are saved in parallel. */
const maxSaves = 8;

/** After these errors of the file system, no further result could be saved. */
const fatalCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO']);

/** What is known about the rows of a run while it lasts. */
export class BatchRun implements ProgressSource {
  readonly #all: readonly WorkRow[];
  readonly #context: RunContext;
  readonly #rows = new Map<string, RowEnd>();
  readonly #saves = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #startedAt = performance.now();
  /** Number of rows that were done before. */
  readonly #doneBefore: number;
  #isUnsaved = false;
  /** Number of rows that were shown when they ended. */
  #shown = 0;
  onRow: ((line: string) => void) | undefined;
  /** What the client has reported last. */
  client: Pick<BatchProgress, 'running' | 'usd'> | undefined;
  /** Aborts at Ctrl-C, and when results can no longer be saved. */
  readonly signal: AbortSignal;

  constructor(all: readonly WorkRow[], context: RunContext) {
    this.#all = all;
    this.#context = context;
    this.signal = AbortSignal.any([context.end.signal, this.#stop.signal]);
    for (const { id, isDone, saved } of all) {
      const files = saved?.files?.map(({ path }) => path) ?? [];
      if (isDone) this.#rows.set(id, { status: 'succeeded', files, urls: saved?.urls ?? [] });
    }
    this.#doneBefore = this.#rows.size;
  }

  get progress(): Progress {
    const { succeeded, failed, unknown } = countRows(this.#rows.values());
    const total = this.#all.length;
    const left = total - succeeded - failed - unknown;
    return {
      total,
      done: succeeded,
      failed: failed + unknown,
      // What the client has reported can be older than the rows that have ended.
      running: Math.min(this.client?.running ?? 0, left),
      usd: this.client?.usd ?? this.#context.chargedUsd,
      doneBefore: this.#doneBefore,
      elapsedMs: this.#elapsedMs,
    };
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Adds a row that has ended without files. */
  add({ id }: WorkRow, end: Omit<RowEnd, 'files' | 'urls'>): void {
    this.#add(id, { files: [], urls: [], ...end });
  }

  #add(id: string, end: RowEnd): void {
    this.#rows.set(id, end);
    // An interruption leaves rows open for which there is nothing to say.
    const hasEnded = end.status === 'succeeded' || end.error !== undefined;
    if (!hasEnded || this.onRow === undefined) return;
    this.#shown += 1;
    this.onRow(rowText({ id, ...end }, this.#context.clean));
  }

  /** Saves the results of a row. Resolves when there is room for the next one. */
  async save(
    row: WorkRow,
    generation: SucceededGeneration,
    known: Pick<RowEnd, 'taskId' | 'idempotencyKey'>,
  ): Promise<void> {
    const save = this.#saveRow(row, generation, known).finally(() => this.#saves.delete(save));
    this.#saves.add(save);
    if (this.#saves.size >= maxSaves) await Promise.race(this.#saves);
  }

  /** Resolves when all rows are saved. */
  async saved(): Promise<void> {
    await Promise.all(this.#saves);
  }

  /** The result of the run. */
  ended(error?: unknown): RunEnd {
    const reason: unknown = this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    return {
      rows: this.#rows,
      stopped: reason,
      isUnsaved: this.#isUnsaved,
      elapsedMs: this.#elapsedMs,
      areShown: this.#shown > 0 && this.#shown <= maxShown,
    };
  }

  async #saveRow(
    { id, ...row }: WorkRow,
    generation: SucceededGeneration,
    known: Pick<RowEnd, 'taskId' | 'idempotencyKey'>,
  ): Promise<void> {
    const { urls } = generation;
    try {
      const files = await saveRow({ id, ...row }, generation, {
        ...this.#context,
        // Ctrl-C aborts downloads that are in progress.
        signal: this.signal,
      });
      this.#add(id, { status: 'succeeded', files, urls, ...known });
    } catch (error) {
      const message = this.#context.clean(commandMessage(error));
      const text = `The result was paid for and could not be saved: ${message}`;
      this.#add(id, { status: 'open', files: [], urls, ...known, error: text });
      this.#isUnsaved = true;
      // More results would cost money and could not be saved.
      if (isRecord(error) && fatalCodes.has(error.code)) this.#stop.abort(error);
    }
  }
}

/** What the results file says about a row. */
export interface RowResult {
  id: string;
  /** `open`: not sent, or its result is not saved yet. `unknown`: it may have been charged, and it is not known how it ended. */
  status: 'succeeded' | 'failed' | 'unknown' | 'open';
  files: readonly string[];
  urls: readonly string[];
  /** What it has cost in all runs, in USD. */
  usd: number;
  taskId?: string | undefined;
  idempotencyKey?: string | undefined;
  /** The text of a chat. */
  answer?: string | undefined;
  /** Why the text ends, if it is not complete, such as `length`. */
  finishReason?: string | undefined;
  error?: string | undefined;
  /** Why it failed, from the closed list of the client. */
  reason?: ErrorReason | undefined;
}

/** Describes in one line how a row has ended: its error, its files or the beginning of its answer. */
export function rowText(
  { id, status, files, answer, error }: Omit<RowResult, 'usd'>,
  clean: (text: string) => string,
): string {
  // A key that is cut is not recognized.
  const text = clean(error ?? answer ?? (files.join(', ') || status));
  const [beginning = ''] =
    error === undefined && answer !== undefined ? (/^.{0,60}/u.exec(text) ?? []) : [text];
  return `${clean(id)}: ${beginning}${beginning === text ? '' : '…'}`;
}

/** How many rows have ended in which way. */
export type Counts = Record<RowResult['status'], number>;

/** Counts the rows by their status. */
export function countRows(results: Iterable<Pick<RowResult, 'status'>>): Counts {
  const counts: Counts = { succeeded: 0, failed: 0, unknown: 0, open: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

/**
 * The exit code of a batch. `isUnsaved`: a result that may have been paid for is not saved.
 */
export function exitCodeOfRows({ failed, unknown, open }: Counts, isUnsaved: boolean): 0 | 1 | 3 {
  if (unknown > 0 || isUnsaved) return 3;
  return failed > 0 || open > 0 ? 1 : 0;
}
