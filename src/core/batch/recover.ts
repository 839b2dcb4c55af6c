import { ConnectionError } from '../../errors/connection.ts';
import type { Journal } from '../../schemas/journal.ts';
import { isOpen } from './batch-journal.ts';
import type { Journaled } from './batch-journal.ts';
import { Works } from './runner.ts';
import type { BatchResult, RecoverOptions } from './runner.ts';
import { fingerprint } from '../call/fingerprint.ts';
import { kindOf } from './journal-line.ts';
import type { Shift } from './run-concurrently.ts';
import type { ClientContext } from '../call/context.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import type { Receipt, TaskKind } from '../../schemas/task.ts';

/** How what stands in a journal becomes what it was. */
export interface Restore {
  /** The submission of an intent that was written with its params. */
  readonly submission: (kind: TaskKind, path: string, params: { model: string }) => Submission;
  readonly task: (receipt: Receipt) => Task;
}

/** Takes up what a dead process left: waits for its tasks, and asks again where the params were written down. */
export async function* recover(
  sender: ClientContext,
  journal: Journal,
  restore: Restore,
  options: RecoverOptions,
): AsyncGenerator<BatchResult, void, undefined> {
  const works = new Works(sender, journal, options);
  const { book } = works;
  await book.read();
  for (const error of book.damaged) yield { id: '', status: 'unknown', error };
  const left = async function* () {
    for (const row of book.rows) if (isOpen(row[1]) && row[1].status === undefined) yield row;
  };
  yield* works.deliver(left(), ([id, found], shift) => {
    const { key = found.receipt?.idempotencyKey, receipt } = found;
    return works.result({ id, key, open: true }, shift, async () => ({
      task: receipt && restore.task(receipt),
      send: () => sendAgain(found, restore, shift),
    }));
  });
}

async function sendAgain(
  { key: idempotencyKey, path = '', params, hash }: Journaled,
  { submission }: Restore,
  { signal }: Shift,
): Promise<Task> {
  const kind = kindOf(path);
  const whole = params && hash === (await fingerprint(path, JSON.stringify(params)));
  if (kind && whole) return submission(kind, path, params).send({ idempotencyKey, signal });
  throw new ConnectionError(
    'The journal does not hold the params of this row: run its batch again, and nothing is paid twice.',
    { outcome: 'unknown', idempotencyKey },
  );
}
