import { JournalContents } from '../core/batch/journal/contents.ts';
import { isChatPath, taskKindOf } from '../core/batch/journal/line.ts';
import { mayBeCharged } from '../core/batch/journal/row-history.ts';
import type { RowHistory } from '../core/batch/journal/row-history.ts';
import { roundUsd } from '../core/limits/round-usd.ts';
import type { Journal } from '../types/tasks/journal.ts';
import type { TaskKind } from '../types/tasks/task.ts';

/** What a journal records about one of its rows. */
export interface JournalRow {
  /** The kind of its task, or `chat`; undefined if the lines that contain it are damaged. */
  readonly kind: TaskKind | 'chat' | undefined;
  /** Idempotency key of its latest submission. A chat has one only if its request carries it. */
  readonly idempotencyKey: string | undefined;
  /** Id of its task, once the service has accepted the submission. */
  readonly taskId: string | undefined;
  /** Whether it is a chat whose completion is in the journal. */
  readonly hasCompletion: boolean;
  /** How it ended, once the caller of the batch has taken its result. */
  readonly status: 'succeeded' | 'failed' | undefined;
  /** Whether it was sent, and not certainly rejected: it must not be sent under another key. */
  readonly mayBeCharged: boolean;
  /** The sum of its charges in USD, over all runs. */
  readonly chargedUsd: number;
  /** The sum of the estimates in USD for submissions whose charge is not known. */
  readonly estimatedUsd: number;
}

/** What a journal records about all of its rows. */
export interface JournalSummary {
  /** The rows by their ids. */
  readonly rows: ReadonlyMap<string, JournalRow>;
  /** The sum of all charges in USD, over all runs. */
  readonly chargedUsd: number;
  /** The sum of the estimates in USD for submissions whose charge is not known. */
  readonly estimatedUsd: number;
  /** The number of damaged lines. Charges that they record are missing from the sums. */
  readonly damagedLines: number;
}

/** Reads a whole journal and sums up its rows. Needs neither a client nor a lock, and changes nothing. */
export async function summarizeJournal(journal: Pick<Journal, 'read'>): Promise<JournalSummary> {
  const contents = new JournalContents();
  for await (const line of journal.read()) contents.add(line);
  const rows = new Map(Array.from(contents.rows, ([id, row]) => [id, toJournalRow(row)]));
  let chargedUsd = 0;
  let estimatedUsd = 0;
  for (const row of rows.values()) {
    chargedUsd += row.chargedUsd;
    estimatedUsd += row.estimatedUsd;
  }
  return {
    rows,
    chargedUsd: roundUsd(chargedUsd),
    estimatedUsd: roundUsd(estimatedUsd),
    damagedLines: contents.damaged.length,
  };
}

function toJournalRow(history: RowHistory): JournalRow {
  const { path, key, receipt, completedAt, status, cost } = history;
  return {
    kind: receipt?.kind ?? (isChatPath(path) ? 'chat' : taskKindOf(path)),
    // Without a readable `submit` line, the receipt still has the key.
    idempotencyKey: key ?? receipt?.idempotencyKey,
    taskId: receipt?.id,
    hasCompletion: completedAt !== undefined,
    status: status === 'succeeded' || status === 'failed' ? status : undefined,
    mayBeCharged: mayBeCharged(history),
    chargedUsd: cost?.chargedUsd ?? 0,
    estimatedUsd: cost?.estimatedUsd ?? 0,
  };
}
