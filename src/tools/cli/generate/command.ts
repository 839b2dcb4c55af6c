import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import { parseArguments, UsageError } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions } from '../command-options.ts';
import { EarlyEnd } from '../early-end.ts';
import { checkOutput, checkReceiptFile } from '../files/check-output.ts';
import { defaultOutput } from '../files/output-name.ts';
import { createSavingGateway } from '../gateway.ts';
import { print } from '../output.ts';
import { readParams, requireModel } from '../params.ts';
import { readPrompt } from '../prompt.ts';
import { runCommand } from '../run-command.ts';
import { repeatedOptions, resolveSettings } from '../settings.ts';
import { writeDurably } from '../state/state-file.ts';
import { accountOf, hashOf } from '../state/task-entry.ts';
import type { GenerationKind, GenerationRequest, TaskEntry } from '../state/task-entry.ts';
import { TaskStore } from '../state/task-store.ts';
import { createCleaner, shellWord } from '../text.ts';
import { continueTask } from './continue.ts';
import { help, inputName, modelTypes } from './options.ts';

/** Runs `image`, `video`, `music` or `speech`, and returns its exit code. */
export function runGenerate(kind: GenerationKind, args: string[]): Promise<number> {
  const log = new CommandLog({ command: `polygate ${kind}`, isPaid: true });
  return runCommand(log, help(kind), async () => {
    const { values, positionals } = parseArguments(args, commandOptions[kind]);
    if (values.help || values.version) return values;
    const overwrite = values.force ?? false;
    const model = requireModel(values.model, modelTypes[kind]);
    const params = await readParams(kind, values);
    const output = checkOutput(values.output ?? defaultOutput, overwrite);
    checkReceiptFile(values.receipt, output, overwrite);
    const settings = resolveSettings(values, process.env);
    const gateway = createSavingGateway(settings);
    log.useCleaner(createCleaner(settings.apiKey));
    const prompt = await readPrompt(positionals, inputName(kind));
    const store = new TaskStore(process.env);
    const { entry, isRepeated } = openEntry(store, {
      request: { kind, model, prompt, params },
      service: {
        baseURL: gateway.baseURL,
        account: accountOf({ baseURL: gateway.baseURL, apiKey: settings.apiKey }),
      },
      idempotencyKey: values['idempotency-key'],
      output,
    });
    const end = new EarlyEnd();
    const run = {
      gateway,
      store,
      end,
      log,
      waitCommand: (idOrKey: string) =>
        `npx polygate task wait ${shellWord(idOrKey)}${repeatedOptions(settings)}`,
    };
    return continueTask(entry, run, {
      isRepeated,
      output,
      overwrite,
      isJson: values.json ?? false,
      onReceipt: (receipt) => {
        if (values.receipt !== undefined) writeDurably(values.receipt, receipt);
      },
      wait: !values['no-wait'],
      printReceipt: print,
    });
  });
}

/** What identifies a new entry. */
interface NewEntry {
  request: GenerationRequest;
  service: Pick<TaskEntry, 'baseURL' | 'account'>;
  /** The caller's own key. */
  idempotencyKey: string | undefined;
  output: string;
}

/** Stores a request before it is sent, or finds the one that was sent with the same key. */
function openEntry(
  store: TaskStore,
  { request, service, idempotencyKey, output }: NewEntry,
): { entry: TaskEntry; isRepeated: boolean } {
  const hash = hashOf(request);
  const known =
    idempotencyKey === undefined
      ? undefined
      : store
          .find(idempotencyKey)
          .find(
            (entry) => entry.idempotencyKey === idempotencyKey && entry.account === service.account,
          );
  if (known !== undefined) {
    if (known.hash !== hash) {
      throw new UsageError(
        `the key ${idempotencyKey} belongs to another request of this machine. Nothing was sent`,
      );
    }
    return { entry: { ...known, output: resolve(output) }, isRepeated: true };
  }
  const entry: TaskEntry = {
    v: 1,
    kind: request.kind,
    ...service,
    idempotencyKey: idempotencyKey ?? randomUUID(),
    hash,
    createdAt: new Date().toISOString(),
    output: resolve(output),
    request,
  };
  store.writeFirst(entry);
  return { entry, isRepeated: false };
}
