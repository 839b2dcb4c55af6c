import { ConfigurationError } from '../../../errors/base.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { isEnded } from '../row.ts';
import type { RowStatus } from '../row.ts';
import type { RowData, RowState, StoredRow } from '../stored-row.ts';
import { addedField, dataField } from './bullmq-layout.ts';
import { fields } from './fields.ts';

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
  const data: unknown = text ? JSON.parse(text) : undefined;
  if (!isRowData(data) || !addedAt) return undefined;
  const state = parseState(data.id, stateText);
  const known = parseStatus(data.id, status);
  const row = { jobId, data, key: state.key ?? data.key, turn: turn ?? '0', addedAt };
  if (known !== 'running') return { ...row, status: known, state };
  const { receipt } = state;
  if (!receipt) throw unreadable(data.id, 'is running without a task');
  return { ...row, status: known, state: { ...state, receipt } };
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
  const state: unknown = text ? JSON.parse(text) : {};
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
  const data: unknown = text ? JSON.parse(text) : undefined;
  return isRowData(data) ? data : undefined;
}
