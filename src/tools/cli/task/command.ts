import { resolve } from 'node:path';

import type { Polygate, Receipt } from 'polygate';

import { parseArguments, unknownName, UsageError } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions } from '../command-options.ts';
import { EarlyEnd } from '../early-end.ts';
import { checkDifferent, checkOutput } from '../files/check-output.ts';
import { ExistingFiles } from '../files/existing.ts';
import { defaultOutput, fillTemplate, nameOfTask } from '../files/output-name.ts';
import { createSavingGateway } from '../gateway.ts';
import { continueTask } from '../generate/continue.ts';
import { print } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { repeatedOptions, resolveSettings } from '../settings.ts';
import { accountOf } from '../state/task-entry.ts';
import type { TaskEntry } from '../state/task-entry.ts';
import { TaskStore } from '../state/task-store.ts';
import { createCleaner, shellWord } from '../text.ts';
import { listTasks } from './list.ts';
import { locate } from './locate.ts';
import { help } from './options.ts';
import { printState } from './print-state.ts';

const actions = ['list', 'get', 'wait'];

/** Runs the command, and returns its exit code. */
export function runTask(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate task', isPaid: false });
  return runCommand(log, help, async () => {
    const { values, positionals } = parseArguments(args, commandOptions.task);
    if (values.help || values.version) return values;
    const [action = '', given, ...others] = positionals;
    if (!actions.includes(action)) {
      throw new UsageError(
        action === ''
          ? 'use task list, task get or task wait'
          : unknownName('action', action, actions),
      );
    }
    // An earlier command has sent the request. The actions other than wait only read, so they say nothing about money.
    log.noteEarlierCharges();
    if (action === 'wait') log.notePaid();
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
    log.useCleaner(createCleaner(settings.apiKey));
    const account = accountOf({ baseURL: gateway.baseURL, apiKey: settings.apiKey });
    const entry = locate(given, values.kind, store, { gateway, account });
    if (action === 'get') return printState(taskOf(gateway, entry), isJson);
    const overwrite = values.force ?? false;
    if (values.output !== undefined) checkDifferent(values.output, given);
    const output = outputOf(entry, values.output, overwrite);
    const run = {
      gateway,
      store,
      end: new EarlyEnd(),
      log,
      waitCommand: (idOrKey: string) => waitCommand(idOrKey, values, repeatedOptions(settings)),
    };
    return continueTask({ ...entry, output: resolve(output) }, run, {
      isRepeated: true,
      output,
      overwrite,
      isJson,
      onReceipt: () => undefined,
      wait: true,
      printReceipt: print,
    });
  });
}

/** The handle of a task. Throws a `UsageError` if only its key is known. */
function taskOf(
  gateway: Polygate,
  { receipt, idempotencyKey }: { receipt?: Receipt | undefined; idempotencyKey: string },
) {
  if (receipt !== undefined) return gateway.resume(receipt);
  throw new UsageError(
    `the id of this task is not known; npx polygate task wait ${idempotencyKey} sends the request again with its key`,
  );
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
