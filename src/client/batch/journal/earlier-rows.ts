import type { RowHistory } from './row-history.ts';

/**
 * What earlier runs recorded about the rows, until this run has planned them.
 *
 * The journal is read up to three times: when the run starts, after a new run was recorded, and when the journal was locked,
 * because another process may have worked on it before. A batch locks it at its first chat if nothing requires that earlier,
 * so rows can be in planning when it is read again: their history is recalled once more then. Rows that are planned are
 * not read again, because the later lines about them are those of this run.
 */
export class EarlierRows {
  #byId: Map<string, RowHistory> = new Map();
  #isRead = false;
  /** The rows that this run has read, and whether it still needs what is recorded about them. */
  readonly #read = new Map<string, 'planning' | 'planned'>();

  /** All rows that this run has not planned, by id. */
  get byId(): ReadonlyMap<string, RowHistory> {
    return this.#byId;
  }

  /** Whether these are the rows of the whole journal. False only while this run has not read any row. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** The rows that this run has not read. */
  get unread(): RowHistory[] {
    return Array.from(this.#byId)
      .filter(([id]) => !this.#read.has(id))
      .map(([, history]) => history);
  }

  /**
   * A reading of the journal begins, which adds to `rows`. Rows that are planned meanwhile need what was read before; if
   * there are none, one copy of a large journal is enough.
   */
  beginReading(rows: Map<string, RowHistory>): void {
    if (this.#read.size > 0) return;
    this.#byId = rows;
    this.#isRead = false;
  }

  /** The journal was read. What this run itself has recorded was not left by an earlier one. */
  endReading(rows: Map<string, RowHistory>): void {
    this.#byId = rows;
    this.#isRead = true;
    for (const [id, state] of this.#read) if (state === 'planned') rows.delete(id);
  }

  /** What is recorded about a row that is being planned. */
  recall(id: string): RowHistory {
    this.#read.set(id, 'planning');
    return this.#byId.get(id) ?? {};
  }

  /** Frees what is recorded about a row that was planned. */
  forget(id: string): void {
    this.#read.set(id, 'planned');
    this.#byId.delete(id);
  }

  /** Takes all rows, for a recovery. */
  takeAll(): [id: string, history: RowHistory][] {
    const rows = [...this.#byId];
    this.#byId.clear();
    return rows;
  }
}
