import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import { TaskFailedError } from 'polygate';
import type { Polygate, Task, SucceededGeneration, TaskUpdate } from 'polygate';

import { checkValue, idempotencyKeyRule } from '../../internal.ts';
import { formatUsd } from '../money.ts';
import { parseArguments, messageOf } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { rejectionHint, describeFailure } from './failure.ts';
import { helpOf } from './help.ts';
import { nameOfTask } from './output-name.ts';
import { parseWithFields, readParams, requireModel, readPrompt } from './params.ts';
import { EarlyEnd, CommandLog, runCommand } from './run-command.ts';
import { checkOutput, checkReceiptFile, saveResults } from './save-results.ts';
import { createSavingGateway, repeatedOptions, resolveSettings } from './settings.ts';
import { writeDurably } from './state-file.ts';
import { StoredTask, submitEntry } from './stored-task.ts';
import type { TaskRun } from './stored-task.ts';
import { accountOf, TaskStore } from './task-store.ts';
import type { GenerationKind } from './task-store.ts';
import { note, noteFailure, print, printJson, formatDuration, ProgressLine } from './terminal.ts';
import { createCleaner, shellWord, cleanText } from './text.ts';

const examples: Readonly<Record<GenerationKind, string>> = {
  image: 'npx polygate image "A harbor" -m prism-image -o harbor.png',
  video: 'npx polygate video "A harbor at dawn" -m tide-video --duration 5 \\\n  -o harbor.mp4',
  music: 'npx polygate music "A calm harbor" -m anthem-music -o harbor.wav',
  speech: 'npx polygate speech "Welcome" -m echo-speech --voice calm-narrator \\\n  -o welcome.wav',
};

/** The model types of the commands, for `polygate models --type`. */
const modelTypes: Readonly<Record<GenerationKind, string>> = {
  image: 'image',
  video: 'video',
  music: 'audio',
  speech: 'audio',
};

/** What the command takes as its argument. */
const inputName = (kind: GenerationKind): string => (kind === 'speech' ? 'text' : 'prompt');

const help = (kind: GenerationKind) => () =>
  helpOf(kind, {
    about: `Generates ${
      kind === 'image' ? 'an image' : kind === 'video' ? 'a video' : kind
    } and saves it.`,
    usage: [`npx polygate ${kind} [options] <${inputName(kind)}>`],
    examples: [examples[kind]],
    notes: [
      `Without an argument, the ${inputName(kind)} is read from stdin. The request is stored before it is sent, and its receipt before the wait: after Ctrl-C or a crash, npx polygate task wait <id or key> continues, without a second charge.`,
    ],
    exits: {
      0: 'the result is saved',
      1: 'the service rejected the request, or the task failed',
      2: 'an option or a file is invalid; nothing was sent',
      3: 'it may have been charged, and the result is not saved yet; the last line says how to continue',
    },
  });

/** Runs `image`, `video`, `music` or `speech`, and returns its exit code. */
export function runGenerate(kind: GenerationKind, args: string[]): Promise<number> {
  const log = new CommandLog({ command: `polygate ${kind}`, isPaid: true });
  return runCommand(log, help(kind), async () => {
    const { values, positionals } = await parseWithFields([kind], () =>
      parseArguments(args, commandOptions[kind]),
    );
    if (values.help || values.version) return values;
    const overwrite = values.force ?? false;
    const model = requireModel(values.model, modelTypes[kind]);
    const params = await readParams(kind, values);
    const output = checkOutput(values.output, overwrite);
    checkReceiptFile(values.receipt, output, overwrite);
    const settings = resolveSettings(values, process.env);
    const gateway = createSavingGateway(settings);
    log.note({ clean: createCleaner(settings.apiKey) });
    const prompt = await readPrompt(positionals, { name: inputName(kind) });
    const { 'idempotency-key': idempotencyKey = randomUUID() } = values;
    checkValue('--idempotency-key', idempotencyKey, idempotencyKeyRule);
    const store = new TaskStore(process.env);
    const { baseURL } = gateway;
    const stored = StoredTask.find(store, {
      request: { kind, model, prompt, params },
      baseURL,
      account: accountOf({ baseURL, apiKey: settings.apiKey }),
      idempotencyKey,
      output: resolve(output),
    }).record();
    const end = new EarlyEnd();
    const run = {
      gateway,
      end,
      log,
      waitCommand: (idOrKey: string) =>
        `npx polygate task wait ${shellWord(idOrKey)}${repeatedOptions(settings)}`,
    };
    const explain = async (error: unknown): Promise<never> => {
      const request = { kind, type: modelTypes[kind], model, params };
      log.note({ hint: await rejectionHint(error, gateway, request) });
      throw error;
    };
    return continueTask(stored, run, {
      output,
      overwrite,
      isJson: values.json ?? false,
      onReceipt: (receipt) => {
        if (values.receipt !== undefined) writeDurably(values.receipt, receipt);
      },
      wait: !values['no-wait'],
    }).catch(explain);
  });
}

/** How a task is continued. */
interface ContinueOptions {
  /** Template of the file names. */
  readonly output: string;
  readonly overwrite: boolean;
  readonly isJson: boolean;
  /** Receives the receipt as JSON, before the wait. */
  readonly onReceipt: (receipt: string) => void;
  /** Whether to wait for the result. Otherwise, the receipt is printed. */
  readonly wait: boolean;
}

/** Takes a task from where it is to its saved results. Returns the exit code. */
export async function continueTask(
  stored: StoredTask,
  run: Omit<TaskRun, 'signal'> & { readonly end: EarlyEnd },
  options: ContinueOptions,
): Promise<number> {
  const { end, gateway, log, waitCommand } = run;
  const { receipt } = stored.entry;
  const taskRun: TaskRun = { ...run, signal: end.signal };
  try {
    let task: Task;
    if (receipt === undefined) {
      task = await submitEntry(stored, taskRun);
      log.note({ chargeUsd: chargeOf(task, gateway) });
    } else {
      task = gateway.resume(receipt);
      // A task that was submitted elsewhere has no key that is known here.
      const { idempotencyKey, chargeUsd } = task;
      log.note({ sent: 'accepted', idempotencyKey, chargeUsd, next: waitCommand(task.id) });
    }
    const text = `${JSON.stringify(task)}\n`;
    try {
      options.onReceipt(text);
    } catch (error) {
      note(`The receipt could not be written: ${messageOf(error)}`);
    }
    if (!options.wait) {
      await print(text);
      return 0;
    }
    if (receipt === undefined) note(`If this is interrupted: ${log.context.next}`);
    await finish(task, taskRun, options);
    stored.end(task, 'succeeded');
    return 0;
  } catch (error) {
    if (TaskFailedError.is(error)) {
      stored.end(error.task, 'failed');
      log.note({ next: undefined });
    }
    if (end.exitCode === undefined) throw error;
    noteFailure(describeFailure(error, log.context));
    return end.exitCode;
  } finally {
    end.dispose();
  }
}

/** Waits for a task, saves its results and prints their names. */
async function finish(task: Task, run: TaskRun, options: ContinueOptions): Promise<void> {
  const { gateway, signal, log } = run;
  const generation = await waitWithProgress(task, signal);
  const { output: template, overwrite } = options;
  // A response with a finished result may have no id.
  const id = nameOfTask(task.id || (task.idempotencyKey ?? ''));
  const files = await saveResults(gateway, generation, { template, id }, { overwrite, signal });
  const paths = files.map(({ path }) => path);
  log.note({ saved: paths, next: undefined });
  const { meta, replayed } = task;
  const chargeUsd = chargeOf(task, gateway);
  // A resumed task, or a repeated request, was paid for once.
  const isEarlier = meta === undefined || replayed;
  if (options.isJson) {
    const { urls } = generation;
    const { id: taskId, idempotencyKey, kind } = task;
    const result = { taskId, idempotencyKey, kind, status: 'succeeded', files: paths, urls };
    await printJson({ ...result, usd: chargeUsd });
  } else {
    await print(paths.map((path) => `${cleanText(path)}\n`).join(''));
    if (chargeUsd !== undefined)
      note(`Charged: ${formatUsd(chargeUsd)}${isEarlier ? ', once under its key' : ''}`);
  }
  const isUnverified = files.some(({ complete }) => complete === 'unverified');
  if (isUnverified)
    note('The server did not say how large the result is: check that it is complete.');
}

/** What a task has cost. A service that ignores keys can have charged attempts that this command has repeated, too. */
const chargeOf = ({ chargeUsd }: Task, { spend }: Polygate): number | undefined =>
  spend.totalUsd || chargeUsd;

/** Waits for a task, with a progress line in a terminal. */
async function waitWithProgress(task: Task, signal: AbortSignal): Promise<SucceededGeneration> {
  const startedAt = performance.now();
  let update: TaskUpdate | undefined;
  const line = new ProgressLine(() => progressText(update, performance.now() - startedAt));
  try {
    return await task.wait({
      signal,
      onUpdate: (latest) => {
        update = latest;
        line.update();
      },
    });
  } finally {
    line.stop();
  }
}

function progressText(update: TaskUpdate | undefined, ms: number): string {
  const percent = update?.progress === undefined ? '' : `  ${Math.floor(update.progress)}%`;
  const problem = update?.pollError === undefined ? '' : '  (poll failed, retrying)';
  return `${update?.status ?? 'submitted'}${percent}  ${formatDuration(ms)}${problem}`;
}
