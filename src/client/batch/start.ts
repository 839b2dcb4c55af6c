import { abortedError } from '../../errors/call.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { ClientContext } from '../call/context.ts';
import { structuredOutput } from '../chat/completion-parser.ts';
import { throwToCaller, captureContext } from '../config/caller.ts';
import type { CallerContext } from '../config/caller.ts';
import { checkValue, signalRule } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { LoadOptions } from '../http/part.ts';
import { waits } from '../tasks/wait.ts';
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
  // Load these now: rows of earlier runs are waited for and checked without sending a request, which would load them.
  const others = [structuredOutput, waits];
  const options = () => given.options;
  const rows = startRows(client, batches, others, options, ({ runBatch }, enter) =>
    runBatch(client, enter, given),
  );
  return unchecked(rows);
}

/** Creates the results of a recovery, which starts when the caller takes the first one. */
export function startRecovery(
  client: ClientContext,
  given: RecoverArguments,
): AsyncGenerator<RecoveredRow, void, undefined> {
  const options = () => ({ signal: given.options?.signal, journal: given.journal });
  const rows = startRows(client, recoveries, [waits], options, ({ runRecovery }, enter) =>
    runRecovery(client, enter, given),
  );
  return unchecked(rows);
}

/** Creates rows now if the parts that they need are loaded, and otherwise as soon as the caller takes the first one. */
function startRows<Module, Row>(
  { config }: ClientContext,
  part: Part<Module>,
  others: readonly Part<unknown>[],
  readOptions: () => Parameters<typeof loadParts>[0],
  run: (module: Module, enter: CallerContext) => AsyncGenerator<Row, void, undefined>,
): AsyncGenerator<Row, void, undefined> {
  const enter = captureContext(config);
  if (part.loaded && others.every(({ loaded }) => loaded)) return run(part.loaded, enter);
  return rowsOf(async () => {
    const [module] = await loadParts(readOptions(), (load) =>
      Promise.all([part.load(load), ...others.map((other) => other.load(load))]),
    );
    return run(module, enter);
  });
}

/** How long a part may take to load if the run was aborted before, in ms: the run knows what its error has to say. */
const maxAbortedLoadTime = 1_000;

/**
 * Loads the parts of a run. The other fields of its options are checked once they are loaded. With a journal, an earlier
 * run may have been charged for rows that this one has not read.
 */
async function loadParts<Modules>(
  { signal, journal }: { signal?: AbortSignal | undefined; journal?: unknown } = {},
  load: (options: LoadOptions) => Promise<Modules>,
): Promise<Modules> {
  checkValue('signal', signal, signalRule);
  const details = { outcome: journal ? 'unknown' : 'not-sent', rows: [] } as const;
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
