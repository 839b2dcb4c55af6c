import type { Journal } from 'polygate';

import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';

/** What a journal says about one of its rows, or about one attempt at a row whose task failed before. */
export interface JournalRow {
  /** What it has cost, in USD. */
  usd: number;
  /** The idempotency key. */
  key?: string | undefined;
  /** The id of the task, once it was accepted. */
  taskId?: string | undefined;
  /** Whether it is a chat whose completion is in the journal. */
  isCompleted?: boolean | undefined;
  /** How it ended. */
  status?: 'succeeded' | 'failed' | undefined;
}

/** The rows of a journal by their ids there. */
export type JournalState = ReadonlyMap<string, JournalRow>;

/** Reads a journal. Damaged lines are left out: the batch reports them. */
export async function readJournal(journal: Pick<Journal, 'read'>): Promise<JournalState> {
  const rows = new Map<string, JournalRow>();
  for await (const text of journal.read()) {
    const line = parseLine(text);
    if (line === undefined || !isNonEmptyString(line.id)) continue;
    const row = rows.get(line.id) ?? { usd: 0 };
    rows.set(line.id, row);
    if (isNonEmptyString(line.key)) row.key = line.key;
    const receipt = isRecord(line.receipt) ? line.receipt : {};
    if (isNonEmptyString(receipt.id)) row.taskId = receipt.id;
    if (isNonEmptyString(receipt.idempotencyKey)) row.key = receipt.idempotencyKey;
    row.usd = amount(line.usd) ?? amount(receipt.chargeUsd) ?? row.usd;
    if (line.type === 'completed') row.isCompleted = true;
    if (line.status === 'succeeded' || line.status === 'failed') row.status = line.status;
    if (line.type === 'submit' || line.type === 'refused') row.status = undefined;
  }
  return rows;
}

function parseLine(text: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isRecord(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined;

/** The id of an attempt in the journal. A failed task is paid for again under another id. */
function attemptId(id: string, attempt: number): string {
  return attempt === 1 ? id : `${id} (retry ${attempt})`;
}

/** The attempts at a row that a journal has. */
export function attemptsOf(id: string, state: JournalState): string[] {
  const ids = [id];
  while (state.has(attemptId(id, ids.length + 1))) ids.push(attemptId(id, ids.length + 1));
  return ids;
}

/** The id under which a row continues: that of its last attempt, or of another one if its task failed. */
export function currentId(id: string, state: JournalState, retryFailed: boolean): string {
  const attempts = attemptsOf(id, state);
  const last = attempts.at(-1) ?? id;
  const { status, taskId } = state.get(last) ?? {};
  // A row that was rejected was not charged, and the batch sends it again by itself.
  const hasFailedTask = status === 'failed' && taskId !== undefined;
  return retryFailed && hasFailedTask ? attemptId(id, attempts.length + 1) : last;
}

/** What all attempts at a row have cost, in USD. */
export function costOf(id: string, state: JournalState): number {
  return attemptsOf(id, state).reduce((sum, attempt) => sum + (state.get(attempt)?.usd ?? 0), 0);
}
