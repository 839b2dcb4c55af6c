import { isEnded } from '../row.ts';
import type { RunningRow, StoredRow } from '../stored-row.ts';

/** What a worker does with a row whose job it has taken. */
export type NextStep =
  | { readonly kind: 'end' | 'submit' | 'record-lost-chat' }
  | { readonly kind: 'poll'; readonly row: RunningRow };

/**
 * What comes next for a row. A worker that finds a submitting row takes the turn to submit it again under its key,
 * because the worker that has sent it died or lost its job. A chat has no such key; the turn stays that of the worker
 * that has sent it, which may still be alive and record the completion.
 */
export function nextStepOf(row: StoredRow): NextStep {
  const { status, data } = row;
  if (isEnded(status)) return { kind: 'end' };
  if (row.status === 'running') return { kind: 'poll', row };
  const isLostChat = status === 'submitting' && data.kind === 'chat';
  return { kind: isLostChat ? 'record-lost-chat' : 'submit' };
}
