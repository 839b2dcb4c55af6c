import { ConnectionError } from '../errors/connection.ts';
import type { Journal } from '../schemas/journal.ts';
import { BatchJournal, isOpen } from './batch-journal.ts';
import type { Journaled } from './batch-journal.ts';
import { deliver, resultOf, submitRow, waitForRow } from './batch-row.ts';
import type { BatchResult, RecoverOptions, Row } from './batch-row.ts';
import { fingerprint } from './fingerprint.ts';
import { kindOf } from './journal-line.ts';
import type { Shift } from './pump.ts';
import type { Sender } from './send.ts';
import type { Submission } from './submission.ts';
import type { Task } from './task.ts';
import type { Receipt, TaskKind } from '../schemas/task.ts';

/** How what stands in a journal becomes what it was. */
export interface Restore {
  /** The submission of an intent that was written with its params. */
  readonly submission: (kind: TaskKind, path: string, params: { model: string }) => Submission;
  readonly task: (receipt: Receipt) => Task;
}

/** A row that a dead process left. */
interface Left extends Journaled {
  readonly id: string;
}

/** Takes up what a dead process left: waits for its tasks, and asks again where the params were written down. */
export async function* recover(
  sender: Sender,
  journal: Journal,
  restore: Restore,
  options: RecoverOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  const book = new BatchJournal(journal, sender.config.log);
  await book.read();
  for (const error of book.damaged) yield { id: '', status: 'unknown', error };
  const left = async function* () {
    for (const [id, found] of book.rows) {
      if (isOpen(found) && found.status === undefined) yield { id, ...found };
    }
  };
  const work = async ({ id, ...found }: Left, shift: Shift): Promise<BatchResult> => {
    const { key, receipt } = found;
    const row: Row<TaskKind> = { id, key: key ?? receipt?.idempotencyKey, open: true };
    const bench = { book, shift, options };
    return resultOf(row, async () => {
      const send = () => sendAgain(found, restore, shift);
      const task =
        receipt === undefined ? await submitRow(row, send, bench) : restore.task(receipt);
      return waitForRow(row, task, bench);
    });
  };
  yield* deliver(sender, book, left(), work, options);
}

async function sendAgain(
  { key: idempotencyKey, path = '', params, hash }: Partial<Journaled>,
  { submission }: Restore,
  { signal }: Shift,
): Promise<Task> {
  const kind = kindOf(path);
  const whole = params && hash === (await fingerprint(path, JSON.stringify(params)));
  if (kind && whole) return submission(kind, path, params).send({ idempotencyKey, signal });
  throw new ConnectionError(
    'Nobody knows whether this row was submitted, and its params are not in the journal. Run its batch again over the same journal, or submit them with error.idempotencyKey: nothing is paid twice.',
    { outcome: 'unknown', idempotencyKey },
  );
}
