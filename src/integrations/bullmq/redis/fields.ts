/**
 * The fields of a row, which are in the hash of its job, next to BullMQ's own. A row that was never submitted has none
 * of them. Rows outlive the version that has written them, so a field never changes its name or meaning.
 *
 * Each comment ends with the Lua functions and scripts that write the field.
 */
export const fields = {
  /** Its `RowStatus`; if missing, `waiting`. Written by `set_status`. */
  status: 'pg:status',

  /** Its `RowState` as JSON. Written by `move` and `retry`. */
  state: 'pg:state',

  /**
   * Fencing token of the latest admission or retry, a growing integer; if missing, 0. Only its holder may move the row.
   * If two processes work on one row, because the first one has lost its lock, that is the one with the latest turn. A
   * row that was removed and added again never has a turn of the earlier one. Written by `admit` and `retry`.
   */
  turn: 'pg:turn',

  /** The id of the latest admission and the turn that it took, with a space in between. Written by `admit`. */
  admission: 'pg:admission',

  /** How many times its queue had been resumed before the latest admission. Written by `admit`. */
  resumes: 'pg:resumes',

  /** The id of the latest retry. Written by `retry`. */
  retry: 'pg:retry',

  /**
   * The charges of all its submissions, in nano-USD: its part of what the queue has spent. Written by `settle` and
   * `late-charge`.
   */
  spent: 'pg:spent',

  /**
   * The idempotency key of its latest charge. The name is that of 0.2: such rows, which have no `paidTask`, may still
   * be in Redis. Written by `settle`.
   */
  paidKey: 'pg:paid',

  /** The id of the task of its latest charge; empty for a chat, or if the task is not known. Written by `settle`. */
  paidTask: 'pg:task',

  /**
   * The path of its request, while it has an unpriced reservation: one of 0, although it may be charged. Written by
   * `add_unpriced`, and deleted by `remove_unpriced`.
   */
  unpriced: 'pg:unpriced',
} as const;
