import { formatUsd } from '../money.ts';
import { columns, print, printJson } from '../output.ts';
import type { TaskEntry } from '../state/task-entry.ts';
import type { TaskStore } from '../state/task-store.ts';
import { cleanText } from '../text.ts';

/** Prints the tasks of the state folder. A request without a receipt has only its key. */
export async function listTasks(store: TaskStore, isJson: boolean): Promise<number> {
  const entries = store.list();
  if (isJson) await printJson(entries.map(recordOf));
  else if (entries.length > 0) {
    const header = ['ID', 'KIND', 'STATUS', 'CHARGE', 'SUBMITTED'];
    await print(columns([header, ...entries.map(rowOf)]));
  }
  return 0;
}

/** The receipt, and what else is known. */
function recordOf(entry: TaskEntry) {
  const { kind, baseURL, idempotencyKey, createdAt, receipt } = entry;
  return {
    ...receipt,
    id: receipt?.id ?? null,
    idempotencyKey,
    kind: receipt?.kind ?? (kind === 'music' || kind === 'speech' ? 'audio' : kind),
    command: kind,
    status: statusOf(entry),
    submittedAt: receipt?.submittedAt ?? createdAt,
    baseURL,
  };
}

function rowOf(entry: TaskEntry): string[] {
  const { kind, idempotencyKey, createdAt, receipt } = entry;
  const usd = receipt?.chargeUsd;
  return [
    receipt === undefined ? `key ${idempotencyKey}` : cleanText(receipt.id),
    kind,
    statusOf(entry),
    usd === undefined ? '?' : formatUsd(usd),
    (receipt?.submittedAt ?? createdAt).slice(0, 19).replace('T', ' '),
  ];
}

/** `unknown`: it is not known whether the service has accepted the request. */
function statusOf({ receipt, status }: TaskEntry): string {
  return receipt === undefined ? 'unknown' : (status ?? 'submitted');
}
