import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import { parseArguments, UsageError } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions } from '../command-options.ts';
import { EarlyEnd } from '../early-end.ts';
import { ExistingFiles } from '../files/existing.ts';
import { checkTemplate, defaultOutput, fillTemplate } from '../files/output-name.ts';
import { checkReplaceable, FileNames } from '../files/same-file.ts';
import { prepareFolder } from '../files/save-results.ts';
import { createSavingGateway } from '../gateway.ts';
import { print } from '../output.ts';
import { parseParams, requireModel } from '../params.ts';
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
    const params = parseParams(values.param);
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

/** Checks where results go, before anything is paid for. Returns the template. */
export function checkOutput(template: string, overwrite: boolean): string {
  checkTemplate(template);
  // The folder is completed afterwards, because its own name may contain braces.
  const first = resolve(template.replaceAll('{n}', '1'));
  if (!template.includes('{id}')) checkFree(first, overwrite);
  // The part before the first placeholder. Without a name, it would be the folder above.
  prepareFolder(resolve(`${template.split('{')[0] ?? template}_`));
  return template;
}

/** Throws a `UsageError` if something at a path must not be replaced, or cannot be. */
function checkFree(path: string, overwrite: boolean): void {
  checkReplaceable(path);
  const existing = overwrite ? undefined : new ExistingFiles().find(path);
  if (existing === undefined) return;
  throw new UsageError(`${existing} exists; --force replaces it. Nothing was sent`);
}

/** Checks where a copy of the receipt goes: the results must not replace it. */
function checkReceiptFile(path: string | undefined, template: string, overwrite: boolean): void {
  if (path === undefined) return;
  if (path === '') throw new UsageError('--receipt must be the name of a file');
  checkDifferent(template, path);
  checkFree(resolve(path), overwrite);
  prepareFolder(resolve(path));
}

/** How many results a task can have, at most. */
const maxResults = 100;

/** Throws a `UsageError` if a result could replace the receipt. */
export function checkDifferent(template: string, receipt: string): void {
  const names = new FileNames();
  const identity = names.identityOf(receipt);
  for (let n = 1; n <= maxResults; n += 1) {
    if (names.identityOf(fillTemplate(template, { id: '{id}', n })) !== identity) continue;
    throw new UsageError('-o and the receipt must be different files. Nothing was sent');
  }
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
