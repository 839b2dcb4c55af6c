import { ConnectionError } from '../errors/connection.ts';
import type { Journal } from '../schemas/journal.ts';
import { BatchJournal } from './batch-journal.ts';
import type { Journaled } from './batch-journal.ts';
import { limits, resultOf, submitRow, waitForRow } from './batch-row.ts';
import type { BatchResult, RecoverOptions, Row } from './batch-row.ts';
import { fingerprint } from './fingerprint.ts';
import { kindOf } from './journal-line.ts';
import type { Intent } from './journal-line.ts';
import { pump } from './pump.ts';
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
  const work = async ([id, found]: [string, Journaled], shift: Shift): Promise<BatchResult> => {
    const row: Row<TaskKind> = { id, key: found.intent?.key };
    return resultOf(row, async () => {
      const task =
        found.receipt === undefined
          ? await submitRow(row, () => sendAgain(found.intent, restore, shift), book)
          : restore.task(found.receipt);
      return waitForRow(row, task, { book, shift, options });
    });
  };
  const left = [...book.rows].filter(([, { refused, finished }]) => !refused && !finished);
  yield* pump(left, work, limits(sender, options));
}

async function sendAgain(
  intent: Intent | undefined,
  { submission }: Restore,
  { signal }: Shift,
): Promise<Task> {
  const { key: idempotencyKey, path = '', params, hash } = intent ?? {};
  const kind = kindOf(path);
  const whole = params && hash === (await fingerprint(path, JSON.stringify(params)));
  if (kind && whole) return submission(kind, path, params).send({ idempotencyKey, signal });
  throw new ConnectionError(
    'Nobody knows whether this row was submitted, and its params are not in the journal. Run its batch again over the same journal, or submit them with error.idempotencyKey: nothing is paid twice.',
    { outcome: 'unknown', idempotencyKey },
  );
}
