import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Polygate } from '../../src/index.ts';
import { UnreadableEntryError } from '../../src/tools/cli/arguments.ts';
import { describeFailure } from '../../src/tools/cli/failure.ts';
import { CommandLog } from '../../src/tools/cli/run-command.ts';
import { StoredTask, submitEntry } from '../../src/tools/cli/stored-task.ts';
import { TaskStore } from '../../src/tools/cli/task-store.ts';
import type { TaskEntry } from '../../src/tools/cli/task-store.ts';
import { ProcessBudget } from '../../src/tools/mcp/budget.ts';
import { Refunds } from '../../src/tools/mcp/refunds.ts';
import { CallFailure } from '../../src/tools/mcp/replies.ts';
import { Submissions } from '../../src/tools/mcp/submissions.ts';
import { damagedText } from './damage.ts';
import { clientOf, failedWith, openService, paramsOf, storageOf } from './driver.ts';
import type { Driver, Ending, Run, World } from './driver.ts';

/** A folder in memory, where there is one, because each entry is flushed. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const account = 'account';

const requestOf = (index: number) => {
  const { model, prompt } = paramsOf(index);
  return { kind: 'image', model, prompt, params: {} } as const;
};

/** The state folder, as one run uses it. A crash can leave a part of an entry that it creates, never of one that it replaces. */
class RunStore extends TaskStore {
  readonly #store: () => void;
  readonly #tear: (() => never) | undefined;

  constructor(environment: { XDG_STATE_HOME: string }, run: Run, tear: () => never) {
    super(environment);
    this.#store = storageOf({ ...run, isFull: false });
    this.#tear = run.death === 'torn' ? tear : undefined;
  }

  override create(entry: TaskEntry): boolean {
    this.#store();
    const isCreated = super.create(entry);
    if (isCreated) this.#tear?.();
    return isCreated;
  }

  override write(entry: TaskEntry): void {
    this.#store();
    super.write(entry);
  }
}

/** A state folder whose processes take a request to its task. */
function open(
  take: (run: Run, client: Polygate, store: TaskStore, ended: AbortSignal) => Promise<Ending>,
): World {
  const mock = openService();
  const folder = mkdtempSync(join(inMemory, 'polygate-life-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const tasks = join(folder, 'polygate', 'tasks');
  return {
    mock,
    async start(run, held) {
      let die = (_: Ending) => undefined as void;
      const death = new Promise<Ending>((resolve) => (die = resolve));
      const client = clientOf(mock, run, held, () => {
        die('dead');
        return new Promise(() => undefined);
      });
      // A folder below a file can neither be read nor created.
      const store = new RunStore({ XDG_STATE_HOME: run.isFull ? file : folder }, run, () => {
        die('dead');
        for (const name of readdirSync(tasks)) {
          truncateSync(join(tasks, name), statSync(join(tasks, name)).size / 2);
        }
        throw new Error('The process was killed.');
      });
      const { signal } = new AbortController();
      return mock.clock.settle(Promise.race([death, take(run, client, store, signal)]));
    },
    stored: () =>
      existsSync(tasks)
        ? readdirSync(tasks)
            .map((name) => readFileSync(join(tasks, name), 'utf8'))
            .join('\n')
        : '',
    rewrite: (change) => {
      for (const name of readdirSync(tasks)) {
        const path = join(tasks, name);
        writeFileSync(path, change(readFileSync(path, 'utf8')));
      }
    },
    damage: (damage) => {
      const names = existsSync(tasks) ? readdirSync(tasks) : [];
      const name = names[damage.at % names.length];
      if (name === undefined) return false;
      const path = join(tasks, name);
      writeFileSync(path, damagedText(readFileSync(path, 'utf8'), damage));
      return true;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** Commands with one key. */
export const commandLine: Driver = {
  name: 'the command line',
  needsStorage: true,
  open: () =>
    open(async ({ params, death }, gateway, store, signal) => {
      const request = requestOf(params);
      const identity = { baseURL: gateway.baseURL, account, idempotencyKey: 'key', output: '/x' };
      const log = new CommandLog({ command: 'image', isPaid: true });
      const endingOf = (error: unknown) =>
        failedWith(describeFailure(error, log.context).join('\n'));
      let stored;
      try {
        stored = StoredTask.find(store, { ...identity, request }).record();
      } catch (error) {
        return error instanceof UnreadableEntryError ? endingOf(error) : 'refused';
      }
      const waitCommand = (key: string) => `wait ${key}`;
      try {
        const { receipt } = stored.entry;
        const task =
          receipt === undefined
            ? await submitEntry(stored, { gateway, signal, log, waitCommand })
            : gateway.resume(receipt);
        if (death === 'accepted') return 'dead';
        await task.wait({ signal });
        stored.end(task, 'succeeded');
        return { taskId: task.id };
      } catch (error) {
        return endingOf(error);
      }
    }),
};

/** Servers that get the same calls. */
export const mcp: Driver = {
  name: 'the MCP server',
  needsStorage: true,
  open: () =>
    open(async ({ params, death, isFull }, gateway, store, ended) => {
      const refunds = new Refunds(gateway, ended);
      const budget = new ProcessBudget({ maxUsd: 100, maxUsdPerCall: 1 }, refunds);
      const options = { gateway, store, account, budget, refunds, allowedModels: [], ended };
      const submissions = new Submissions({ ...options, clean: (text) => text });
      const signal = ended;
      const call = { signal, remainingMs: () => 1e9, limitMs: () => 1e9, report: () => undefined };
      const request = requestOf(params);
      const order = { tool: 'generate_image', request, body: paramsOf(params), output: '/x' };
      try {
        const opened = await submissions.open({ ...order, idempotencyKey: `key-${params}` }, call);
        if (death === 'accepted') return 'dead';
        await opened.task.wait({ signal });
        opened.stored.end(opened.task, 'succeeded');
        return { taskId: opened.task.id };
      } catch (error) {
        if (isFull) return 'refused';
        const failure = error instanceof CallFailure ? error : undefined;
        const command = { command: 'generate_image', isPaid: true };
        const lines = describeFailure(failure?.cause ?? error, failure?.context ?? command);
        return failedWith(lines.join('\n'));
      }
    }),
};
