import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import type { ClientContext } from '../call/context.ts';
import type { CallerContext } from '../config/caller-context.ts';
import { checkOptions, checkValue } from '../config/validation.ts';
import { journalRule } from './journal/batch-journal.ts';
import { isChatPath } from './journal/line.ts';
import { mayBeCharged } from './journal/row-history.ts';
import type { RowHistory } from './journal/row-history.ts';
import { recoverRules } from './options.ts';
import type { RecoverOptions } from './options.ts';
import { unreadJournalError } from './pool/end-errors.ts';
import type { RowWork } from './pool/row-source.ts';
import { runRows } from './pool/run-rows.ts';
import type { RowResult } from './results.ts';
import { planRecovery } from './row/recovery-plan.ts';
import type { Recreator } from './row/recovery-plan.ts';
import { Row } from './row/row.ts';
import { runRow } from './row/run-row.ts';
import { createRunContext } from './run/context.ts';
import type { RunContext } from './run/context.ts';
import { beginRun, endRun } from './run/lifecycle.ts';
import type { FetchModel } from './run/prices.ts';
import { untilAborted } from './run/until-aborted.ts';

/** A recovery, as the client passes it on. */
export interface RecoverArguments {
  readonly journal: Journal;
  readonly recreate: Recreator;
  readonly options: RecoverOptions;
  readonly fetchModel: FetchModel;
}

/**
 * Finishes the rows that earlier runs left unfinished: waits for their tasks, and resubmits rows whose params are
 * stored.
 */
export async function* runRecovery(
  client: ClientContext,
  enter: CallerContext,
  { journal, recreate, options, fetchModel }: RecoverArguments,
): AsyncGenerator<RowResult, void, undefined> {
  checkOptions(options, recoverRules);
  checkValue('journal', journal ?? null, journalRule);
  const context = createRunContext({
    client,
    journal,
    enter,
    fetchModel,
    pausesAtBudget: options.maxUsd !== undefined,
    options,
  });
  try {
    await readJournal(context);
    for (const error of context.journal.damaged) yield { id: '', status: 'unknown', error };
    const known = context.journal.earlier
      .takeAll()
      .filter(([, history]) => isUnfinished(history))
      .map(([id, history]) => new Row(id, history));
    const rows = function* (): Generator<RowWork<RowResult>> {
      for (const row of known) {
        const makePlan = () => planRecovery(row, recreate, context);
        yield { row, run: (onAccepted) => runRow(row, { makePlan, context, onAccepted }) };
      }
    };
    const countRows = () => known.length;
    yield* runRows({ rows: rows(), known, countRows, endsAtPause: false }, context);
  } finally {
    await endRun(context);
  }
}

/**
 * Whether a row has no result that the caller has taken. The params of a task that cannot have been charged are kept only
 * if a 402 or a budget is the reason; such a chat is left to the next batch.
 */
function isUnfinished(history: RowHistory): boolean {
  if (history.status) return false;
  return mayBeCharged(history) || (history.params !== undefined && !isChatPath(history.path));
}

/** Reads and locks the journal, until the caller aborts. Even if they have aborted before: the error lists the rows. */
async function readJournal(context: RunContext): Promise<void> {
  const { journal, signal, config } = context;
  const error = () => unreadJournalError(signal?.reason, 'recovery');
  const read = async () => {
    await journal.read();
    await beginRun(context);
  };
  await untilAborted(read, { signal, clock: config.clock, error });
}
