import type { Row } from '../row/row.ts';
import { Changes } from './changes.ts';

/**
 * The rows whose chat is in flight: from the moment an attempt is sent until its response has been read. Their completions are
 * paid for, so when the caller leaves a run, they are read to their end. Nothing more is sent.
 */
export class ChatsInFlight {
  readonly #rows = new Set<Row>();
  readonly #changes = new Changes();
  #hasLeft = false;

  /** An attempt of a chat is sent. */
  add(row: Row): void {
    this.#rows.add(row);
  }

  /** The chat has ended. */
  remove(row: Row): void {
    if (this.#rows.delete(row)) this.#changes.notify();
  }

  /** The attempt has ended, and another one follows, unless the caller has left. */
  removeBeforeRetry(row: Row): void {
    if (this.#hasLeft) row.controller.abort();
    this.remove(row);
  }

  /** The caller has left: aborts all other rows. Resolves when no chat is in flight. */
  async leave(running: Iterable<Row>): Promise<void> {
    this.#hasLeft = true;
    for (const row of running) if (!this.#rows.has(row)) row.controller.abort();
    while (this.#rows.size > 0) await this.#changes.next();
  }
}
