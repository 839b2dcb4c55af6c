import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import { checkValue, idempotencyKeyRule } from '../../internal.ts';
import { parseArguments } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { continueTask } from './continue-task.ts';
import { EarlyEnd } from './early-end.ts';
import { rejectionHint } from './failure.ts';
import { createSavingGateway } from './gateway.ts';
import { endedCodes, helpOf } from './help.ts';
import { parseWithFields, readParams, requireModel, readPrompt } from './params.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { checkOutput, checkReceiptFile } from './save-results.ts';
import { repeatedOptions, resolveSettings } from './settings.ts';
import { writeDurably } from './state-file.ts';
import { StoredTask } from './stored-task.ts';
import { accountOf, TaskStore } from './task-store.ts';
import type { GenerationKind } from './task-store.ts';
import { createCleaner, shellWord } from './text.ts';

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
    lists: {
      'Exit codes': [
        ['0', 'the result is saved'],
        ['1', 'the service rejected the request, or the task failed'],
        ['2', 'an option or a file is invalid; nothing was sent'],
        [
          '3',
          'it may have been charged, and the result is not saved yet; the last line says how to continue',
        ],
        ...endedCodes,
      ],
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
