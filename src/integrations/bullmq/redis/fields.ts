import { ConfigurationError } from '../../../errors/base.ts';
import { parseJson } from '../../../internal.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { isEnded } from '../row.ts';
import type { RowStatus, RowData, RowState, StoredRow } from '../row.ts';
import { addedField, dataField } from './keys.ts';

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

/** The fields of a job that make a row, in the order in which {@link parseRow} takes their values. */
export const rowFields = [dataField, fields.status, fields.state, fields.turn, addedField] as const;

/**
 * Parses the row of a job; undefined if there is none, or if it is another kind of job.
 *
 * @throws `ConfigurationError` if a newer version of polygate has written it, or it is damaged. What it is waiting for
 * is then not known, so nothing may be sent for it.
 */
export function parseRow(
  jobId: string,
  [text, status, stateText, turn, addedAt]: readonly (string | null)[],
): StoredRow | undefined {
  const data = parseJson(text ?? '');
  if (!isRowData(data) || !addedAt) {
    if (status || turn) throw unreadable(jobId, 'has lost what it submits');
    return undefined;
  }
  const { id } = data;
  // Both are written before anything is sent.
  if (turn && !status) throw unreadable(id, 'has lost its status');
  if (!/^\d+$/.test(turn ?? '0')) throw unreadable(id, 'has no readable turn');
  const state = parseState(id, stateText);
  const known = parseStatus(id, status);
  const row = { jobId, data, key: state.key ?? data.key, turn: turn ?? '0', addedAt };
  if (known === 'running') {
    const { receipt } = state;
    if (!receipt) throw unreadable(id, 'is running without a task');
    return { ...row, status: known, state: { ...state, receipt } };
  }
  // Only a row that is submitted for the first time has none.
  if (turn && known !== 'submitting' && !stateText) throw unreadable(id, 'has lost its state');
  if (known === 'succeeded' && !state.generation && !state.completion) {
    throw unreadable(id, 'has lost its result');
  }
  return { ...row, status: known, state };
}

function parseStatus(id: string, status: string | null | undefined): RowStatus {
  if (status === null || status === undefined) return 'waiting';
  if (status === 'waiting' || status === 'submitting' || status === 'running') return status;
  if (isEnded(status)) return status;
  throw unreadable(
    id,
    `has the status ${JSON.stringify(status)}, which this version does not know`,
  );
}

function parseState(id: string, text: string | null | undefined): RowState {
  const state = text === null || text === undefined ? {} : parseJson(text);
  if (!isRecord(state)) throw unreadable(id, 'has no readable state');
  return unchecked<RowState>(state);
}

const unreadable = (id: string, reason: string) =>
  new ConfigurationError(
    `row ${id}: ${reason}. Nothing was sent for it. Use the latest version of polygate that works on this queue in all processes.`,
  );

/** Whether a value is the data of a row, and not of another kind of job. */
function isRowData(value: unknown): value is RowData {
  return isRecord(value) && typeof value.hash === 'string' && typeof value.path === 'string';
}

/** Parses the data of a job only, which all versions read alike. */
export function parseRowData(text: string | null): RowData | undefined {
  const data = parseJson(text ?? '');
  return isRowData(data) ? data : undefined;
}
