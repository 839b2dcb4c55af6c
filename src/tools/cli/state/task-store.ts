import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

import { messageOf, UsageError } from '../arguments.ts';
import { writeDurably } from './state-file.ts';
import { digest, parseEntry } from './task-entry.ts';
import type { TaskEntry } from './task-entry.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which the commands keep what must survive them. */
export function stateFolder(environment: Environment): string {
  return join(environment.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'polygate');
}

/** The tasks that were submitted on this machine, one file each, readable by their owner only. */
export class TaskStore {
  readonly #folder: string;

  constructor(environment: Environment) {
    this.#folder = join(stateFolder(environment), 'tasks');
  }

  /** Stores an entry. When this returns, it survives a crash. */
  write(entry: TaskEntry): void {
    writeDurably(this.#pathOf(entry), `${JSON.stringify(entry, undefined, 2)}\n`);
  }

  /** Stores an entry before anything is sent. Throws a `UsageError` if that fails. */
  writeFirst(entry: TaskEntry): void {
    try {
      this.write(entry);
    } catch (error) {
      throw new UsageError(
        `cannot write to the state folder ${this.#folder}: ${messageOf(error)}. Without it, a crash could lose what was paid for`,
        { cause: error },
      );
    }
  }

  /** Forgets a request that was certainly not accepted, unless another process has its receipt. */
  remove(entry: TaskEntry): void {
    const path = this.#pathOf(entry);
    if (this.#read(basename(path))?.receipt === undefined) rmSync(path, { force: true });
  }

  /** All entries, oldest first. Damaged files are left out. */
  list(): TaskEntry[] {
    return this.#names()
      .flatMap((name) => this.#read(name) ?? [])
      .toSorted((first, second) => first.createdAt.localeCompare(second.createdAt));
  }

  /** The entry of an account with an idempotency key. */
  get(key: Pick<TaskEntry, 'account' | 'idempotencyKey'>): TaskEntry | undefined {
    return this.#read(basename(this.#pathOf(key)));
  }

  /** The entries with a task id or idempotency key. There may be several: each service has its own ids. */
  find(idOrKey: string): TaskEntry[] {
    return this.list().filter(
      ({ receipt, idempotencyKey }) => receipt?.id === idOrKey || idempotencyKey === idOrKey,
    );
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  }

  #read(name: string): TaskEntry | undefined {
    try {
      return parseEntry(readFileSync(join(this.#folder, name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  #pathOf({ account, idempotencyKey }: Pick<TaskEntry, 'account' | 'idempotencyKey'>): string {
    return join(this.#folder, `${digest(`${account} ${idempotencyKey}`).slice(0, 32)}.json`);
  }
}
