import { unchecked } from '../../types/schema.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { signalRule } from '../call/request-options.ts';
import { structuredOutput } from '../chat/completion-parser.ts';
import { captureContext } from '../config/caller-context.ts';
import { checkValue } from '../config/validation.ts';
import { Part } from '../http/part.ts';
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
  // The completions of an earlier run are checked without a request that would load this.
  if (loaded && structuredOutput.loaded) return unchecked(loaded.runBatch(client, enter, given));
  const load = async () => {
    const signal = checkedSignal(given.options);
    const [{ runBatch }] = await Promise.all([
      batches.load({ signal }),
      structuredOutput.load({ signal }),
    ]);
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
  if (loaded) return unchecked(loaded.runRecovery(client, enter, given));
  const load = async () => {
    const signal = checkedSignal(given.options);
    const { runRecovery } = await recoveries.load({ signal });
    return runRecovery(client, enter, given);
  };
  return unchecked(rowsOf(load));
}

/** The signal of options whose other fields are checked once the part is loaded. */
function checkedSignal(options: { signal?: AbortSignal | undefined } | undefined) {
  const signal = options?.signal;
  checkValue('signal', signal, signalRule);
  return signal;
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
