import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Polygate, Receipt, Task } from 'polygate';

import { formatUsd } from '../money.ts';
import { messageOf, parseArguments, unknownName, UsageError } from './arguments.ts';
import { commandOptions, firstArguments, generationKinds } from './command-options.ts';
import { continueTask } from './generate.ts';
import { helpOf } from './help.ts';
import { ExistingFiles, defaultOutput, fillTemplate, nameOfTask } from './output-name.ts';
import { EarlyEnd, CommandLog, runCommand } from './run-command.ts';
import { checkDifferent, checkOutput } from './save-results.ts';
import { createSavingGateway, repeatedOptions, resolveSettings } from './settings.ts';
import { StoredTask } from './stored-task.ts';
import { accountOf, isSameService, TaskStore } from './task-store.ts';
import type { GenerationKind, TaskEntry } from './task-store.ts';
import { print, columns, note, printJson } from './terminal.ts';
import { createCleaner, shellWord, cleanText } from './text.ts';

const help = () =>
  helpOf('task', {
    about: 'Lists, looks up or waits for tasks that were submitted.',
    usage: [
      'npx polygate task list',
      'npx polygate task get <id>',
      'npx polygate task wait <id | key | file> [-o <file>]',
    ],
    examples: ['npx polygate task list'],
    notes: [
      'list shows the tasks that polygate image, video, music and speech have submitted on this machine. get polls a task once. wait waits for a task and saves its results. It takes a task id, the idempotency key of a request or a file with a receipt. For a key without a receipt, it sends the request again with that key, which is not charged a second time.',
    ],
    exits: {
      0: 'done',
      1: 'the service rejected the request, or the task failed',
      2: 'an option or a file is invalid, or the task is unknown; nothing was sent',
      3: 'the task may have been charged, and its result is not saved yet; the last line says how to continue',
    },
  });

/** Runs the command, and returns its exit code. */
export function runTask(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate task', isPaid: false });
  return runCommand(log, help, async () => {
    const { values, positionals } = parseArguments(args, commandOptions.task);
    if (values.help || values.version) return values;
    const [action = '', given, ...others] = positionals;
    const { task: actions = [] } = firstArguments;
    if (!actions.includes(action)) {
      throw new UsageError(
        action === ''
          ? 'use task list, task get or task wait'
          : unknownName('action', action, actions),
      );
    }
    // An earlier command has sent the request. The actions other than wait only read, so they say nothing about money.
    log.note({ hasEarlierCharges: true });
    if (action === 'wait') log.note({ isPaid: true });
    const isJson = values.json ?? false;
    const store = new TaskStore(process.env);
    if (action === 'list' && given === undefined) return listTasks(store, isJson);
    if (action === 'list' || given === undefined || others.length > 0) {
      throw new UsageError(
        `task ${action} takes ${action === 'list' ? 'no argument' : 'one argument'}`,
      );
    }
    const settings = resolveSettings(values, process.env);
    const gateway = createSavingGateway(settings);
    log.note({ clean: createCleaner(settings.apiKey) });
    const account = accountOf({ baseURL: gateway.baseURL, apiKey: settings.apiKey });
    const entry = locate(given, values.kind, store, { gateway, account });
    const { receipt, idempotencyKey } = entry;
    if (action === 'get') {
      if (receipt !== undefined) return printState(gateway.resume(receipt), isJson);
      throw new UsageError(
        `the id of this task is not known; npx polygate task wait ${idempotencyKey} sends the request again with its key`,
      );
    }
    const overwrite = values.force ?? false;
    if (values.output !== undefined) checkDifferent(values.output, given);
    const output = outputOf(entry, values.output, overwrite);
    const run = {
      gateway,
      end: new EarlyEnd(),
      log,
      waitCommand: (idOrKey: string) => waitCommand(idOrKey, values, repeatedOptions(settings)),
    };
    const stored = StoredTask.continue(store, { ...entry, output: resolve(output) }).record();
    return continueTask(stored, run, {
      output,
      overwrite,
      isJson,
      onReceipt: () => undefined,
      wait: true,
    });
  });
}

/** Where the results go. Throws a `UsageError` if the file exists, unless it appeared after the request was sent. */
function outputOf(entry: TaskEntry, given: string | undefined, overwrite: boolean): string {
  const stored = entry.output || resolve(defaultOutput);
  const template = given === undefined ? stored : checkOutput(given, overwrite);
  const { receipt } = entry;
  if (receipt === undefined || overwrite) return template;
  const existing = new ExistingFiles().find(
    fillTemplate(template, { id: nameOfTask(receipt.id), n: 1 }),
  );
  if (existing === undefined || (given === undefined && entry.status !== 'succeeded'))
    return template;
  throw new UsageError(`${existing} exists; --force replaces it, and -o selects another name`);
}

/** The command that continues this one. */
function waitCommand(
  idOrKey: string,
  { kind, output }: { kind?: string | undefined; output?: string | undefined },
  service: string,
): string {
  const quoted = output === undefined ? '' : ` -o ${shellWord(output)}`;
  return `npx polygate task wait ${shellWord(idOrKey)}${kind === undefined ? '' : ` --kind ${kind}`}${quoted}${service}`;
}

/** Prints the tasks of the state folder. A request without a receipt has only its key. */
async function listTasks(store: TaskStore, isJson: boolean): Promise<number> {
  const entries = store.list();
  if (isJson) await printJson(entries.map(recordOf));
  else if (entries.length === 0) note('No task was submitted on this machine.');
  else {
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

/** Polls a task once and prints its state. Returns the exit code. */
async function printState(task: Task, isJson: boolean): Promise<number> {
  const { id, kind, status, progress, urls, error } = await task.retrieve();
  const { chargeUsd, idempotencyKey } = task;
  if (isJson) {
    await printJson({ id, kind, status, progress, urls, error, usd: chargeUsd, idempotencyKey });
    return 0;
  }
  const rows = [
    ['Task', cleanText(id)],
    ['Kind', kind],
    ['Status', status],
    ...(progress === undefined ? [] : [['Progress', `${progress}%`]]),
    ...(chargeUsd === undefined ? [] : [['Charge', formatUsd(chargeUsd)]]),
    ...(error === undefined ? [] : [['Error', cleanText(error.message)]]),
    ...urls.map((url) => ['URL', cleanText(url)]),
  ];
  await print(columns(rows));
  return 0;
}

/** The service that the command uses. */
interface Service {
  readonly gateway: Polygate;
  readonly account: string;
}

/** Finds a task by its id, its key or a file with its receipt. Throws a `UsageError` if that is not possible. */
function locate(
  given: string,
  kind: string | undefined,
  store: TaskStore,
  service: Service,
): TaskEntry {
  const known = entryOf(store.find(given), service);
  if (known !== undefined) return known;
  const receipt = receiptFile(given, service.gateway);
  if (receipt !== undefined) {
    return entryOf(store.find(receipt.id), service) ?? entryFor(receipt, service);
  }
  if (kind === undefined) {
    throw new UsageError(
      `${given} is neither a task of this machine nor a file. For the id of another task, add --kind image, video, music or speech`,
    );
  }
  return entryFor({ v: 1, kind: taskKind(kind), id: given }, service);
}

/** Returns the entry that belongs to the service and the account. */
function entryOf(entries: readonly TaskEntry[], service: Service): TaskEntry | undefined {
  const { gateway, account } = service;
  const [first] = entries;
  if (first === undefined) return undefined;
  const ofService = entries.filter(({ baseURL }) => isSameService(baseURL, gateway.baseURL));
  const ofAccount = ofService.find((entry) => entry.account === account);
  if (ofAccount !== undefined) return ofAccount;
  const [other] = ofService;
  if (other === undefined) {
    throw new UsageError(
      `this task was submitted to ${first.baseURL}: use --base-url ${first.baseURL}, with an API key for it`,
    );
  }
  // Another key of the same account can read the task.
  if (other.receipt !== undefined) return other;
  throw new UsageError(
    'this request was sent with another API key. Sent with this one, it could be charged a second time: use the other key',
  );
}

/** Reads a receipt from a file; undefined if there is no such file. */
function receiptFile(path: string, gateway: Polygate): Receipt | undefined {
  let text: string;
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  // Checks the receipt.
  const given: unknown = text;
  return gateway.resume(given).toJSON();
}

/** An entry for a task that is not in the state folder. */
function entryFor(receipt: Receipt, { gateway, account }: Service): TaskEntry {
  return {
    v: 1,
    kind: receipt.kind === 'audio' ? 'music' : receipt.kind,
    baseURL: gateway.baseURL,
    account,
    idempotencyKey: receipt.idempotencyKey ?? `task ${receipt.id}`,
    hash: '-',
    createdAt: receipt.submittedAt ?? new Date().toISOString(),
    output: '',
    receipt,
  };
}

function taskKind(kind: string): Receipt['kind'] {
  if (kind === 'audio' || kind === 'music' || kind === 'speech') return 'audio';
  if (kind === 'image' || kind === 'video') return kind;
  throw new UsageError(
    `--kind: ${unknownName('kind', kind, generationKinds satisfies readonly GenerationKind[])}`,
  );
}
