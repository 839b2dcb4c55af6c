/** What the journal of a batch says about its rows, by the rules of the client. */
import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import { JournalContents } from './journal-contents.ts';
import { BatchJournal } from './journal.ts';
import { isLostChat, mayBeCharged, nextOf, unpricedSubmits } from './row-history.ts';
import type { RowHistory } from './row-history.ts';

/** A row of a journal. */
export interface JournalRow {
  /** The charges that are known, in USD. */
  readonly usd: number;
  /** The sum of the estimates for submissions whose charge is not known, in USD. */
  readonly estimatedUsd: number;
  /** The idempotency key. */
  readonly key?: string | undefined;
  /** The id of the task, once it was accepted. */
  readonly taskId?: string | undefined;
  /** Whether it is a chat whose completion is in the journal. */
  readonly isCompleted: boolean;
  /** Whether it may have been charged. */
  readonly mayBeCharged: boolean;
  /** Whether it may have been charged more than `usd`. */
  readonly isUncertain: boolean;
  /** Whether it was sent and only its key can find the task, so that the next run sends it again. */
  readonly needsReplay: boolean;
  /** Whether it is a chat that was sent, and whose completion is not in the journal. */
  readonly isLostChat: boolean;
  /** How it ended. */
  readonly status?: string | undefined;
}

/** What a journal contains. */
export interface JournalContent {
  /** The id of its run, which distinguishes it from other journals; undefined if it is empty. */
  readonly run: string | undefined;
  /** The rows by their ids in the journal. */
  readonly rows: ReadonlyMap<string, JournalRow>;
  /** Whether it has damaged lines that may be about a row that was sent. */
  readonly isDamaged: boolean;
}

const silent = { error: ignore, warn: ignore, info: ignore, debug: ignore };

function ignore(): void {}

/**
 * Reads a journal. Writes nothing.
 *
 * @throws `ConfigurationError` if it has content and is no journal, or has lost its first line.
 */
export async function readJournal(file: Pick<Journal, 'read'>): Promise<JournalContent> {
  const contents = new JournalContents();
  for await (const line of file.read()) contents.add(line);
  const rows = Array.from(contents.rows, ([id, row]) => [id, toRow(row)] as const);
  return { run: contents.openRun(), rows: new Map(rows), isDamaged: contents.isIncompleteFor({}) };
}

/** Returns the id of the run of a journal. Starts the run if the journal is empty. */
export async function openJournal(file: Journal): Promise<string> {
  const journal = new BatchJournal(file, silent);
  try {
    return await journal.openRun();
  } finally {
    await journal.close();
  }
}

function toRow(history: RowHistory): JournalRow {
  const { key, receipt, completedAt, cost, end } = history;
  const { chargedUsd = 0, estimatedUsd = 0 } = cost ?? {};
  return {
    usd: chargedUsd,
    estimatedUsd,
    key: key ?? receipt?.idempotencyKey,
    taskId: receipt?.id,
    isCompleted: completedAt !== undefined,
    mayBeCharged: mayBeCharged(history),
    isUncertain: estimatedUsd > 0 || unpricedSubmits(history) > 0,
    needsReplay: nextOf(history) === 'resend',
    isLostChat: isLostChat(history),
    status: end,
  };
}
