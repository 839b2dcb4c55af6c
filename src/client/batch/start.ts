import { abortedError } from '../../errors/call.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { structuredOutput } from '../chat/completion-parser.ts';
import { captureContext } from '../config/caller-context.ts';
import { checkValue, signalRule } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { LoadOptions } from '../http/part.ts';
import { waits } from '../tasks/wait/run-wait.ts';
import type { BatchArguments } from './batch.ts';
import type { RecoverArguments } from './recover.ts';
import type { AnySubmission, RecoveredRow, RowOf } from './results.ts';

export const batches = /* @__PURE__ */ new Part(() => import('./batch.ts'));
export const recoveries = /* @__PURE__ */ new Part(() => import('./recover.ts'));

/** Creates the results of a batch, which starts when the caller takes the first one. */
export function startBatch<Input, Described extends AnySubmission>(
  client: ClientContext,
  given: BatchArguments<Input, Described>,
): AsyncGenerator<RowOf<Input, Described>, void, undefined> {
  const enter = captureContext(client.config);
  const { loaded } = batches;
  // Load these now: rows of earlier runs are waited for and checked without sending a request, which would load them.
  if (loaded && structuredOutput.loaded && waits.loaded) {
    return unchecked(loaded.runBatch(client, enter, given));
  }
  const load = async () => {
    const hasJournal = Boolean(given.options?.journal);
    const [{ runBatch }] = await loadParts(given.options?.signal, hasJournal, (options) =>
      Promise.all([batches.load(options), structuredOutput.load(options), waits.load(options)]),
    );
    return runBatch(client, enter, given);
  };
  return unchecked(rowsOf(load));
}

/** Creates the results of a recovery, which starts when the caller takes the first one. */
export function startRecovery(
  client: ClientContext,
  given: RecoverArguments,
): AsyncGenerator<RecoveredRow, void, undefined> {
  const enter = captureContext(client.config);
  const { loaded } = recoveries;
  if (loaded && waits.loaded) return unchecked(loaded.runRecovery(client, enter, given));
  const load = async () => {
    const [{ runRecovery }] = await loadParts(given.options?.signal, true, (options) =>
      Promise.all([recoveries.load(options), waits.load(options)]),
    );
    return runRecovery(client, enter, given);
  };
  return unchecked(rowsOf(load));
}

/** How long a part may take to load if the run was aborted before, in ms: the run knows what its error has to say. */
const maxAbortedLoadTime = 1_000;

/**
 * Loads the parts of a run. The other fields of its options are checked once they are loaded. With a journal, an earlier
 * run may have been charged for rows that this one has not read.
 */
async function loadParts<Modules>(
  signal: AbortSignal | undefined,
  hasJournal: boolean,
  load: (options: LoadOptions) => Promise<Modules>,
): Promise<Modules> {
  checkValue('signal', signal, signalRule);
  const details = { outcome: hasJournal ? 'unknown' : 'not-sent', rows: [] } as const;
  if (!signal?.aborted) return load({ signal, details });
  return load({ timeout: maxAbortedLoadTime, details }).catch(() => {
    throw abortedError(signal.reason, details);
  });
}

async function* rowsOf<Row>(
  load: () => Promise<AsyncGenerator<Row, void, undefined>>,
): AsyncGenerator<Row, void, undefined> {
  try {
    yield* await load();
  } catch (error) {
    throwToCaller(error);
  }
}
