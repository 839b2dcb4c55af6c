import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Receipt } from 'polygate';

import { codeOf, isMissing } from '../../integrations/node/final-path.ts';
import { parseReceipt } from '../../internal.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { messageOf, UnreadableEntryError, UsageError } from './arguments.ts';
import { generationKinds } from './command-options.ts';
import { serviceURL, setVariable, userFolder } from './settings.ts';
import type { Environment, Settings } from './settings.ts';
import { createDurably, writeDurably } from './state-file.ts';

/** What a command generates. */
export type GenerationKind = (typeof generationKinds)[number];

/** The request of a generation. */
export interface GenerationRequest {
  kind: GenerationKind;
  model: string;
  /** Prompt, or text of a speech. Requests such as edits of an image can do without. */
  prompt?: string | undefined;
  /** All other fields of the request. */
  params: Record<string, unknown>;
}

/** What the state folder contains about one task. */
export interface TaskEntry {
  v: 1;
  kind: GenerationKind;
  /** The service that the request was sent to. */
  baseURL: string;
  /** Identifies the API key without containing it: another account would pay for the request a second time. */
  account: string;
  idempotencyKey: string;
  /** Fingerprint of the request. */
  hash: string;
  createdAt: string;
  /** Template of the file names, as an absolute path. */
  output: string;
  /** The request. Kept only until its receipt is there, because it contains the prompt. */
  request?: GenerationRequest | undefined;
  /** The receipt, once the request was accepted. */
  receipt?: Receipt | undefined;
  /** How the task ended. */
  status?: 'succeeded' | 'failed' | undefined;
  /** Whether a second process has sent the request, so that it may have been charged even if the first one is refused. */
  resent?: boolean | undefined;
}

/** Identifies an API key of a service. */
export function accountOf({ baseURL, apiKey }: Pick<Settings, 'baseURL' | 'apiKey'>): string {
  return digest(`account ${serviceURL(baseURL)} ${apiKey.trim()}`).slice(0, 16);
}

/** Fingerprint of a request. */
export function hashOf(request: GenerationRequest): string {
  return digest(JSON.stringify(request));
}

/** Identifies a text, such as in the name of a file. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Parses an entry; `unreadable` if a newer version has written it. */
function parseEntry(text: string): TaskEntry | 'damaged' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text);
    if (isEntry(value)) return { ...value, receipt: readReceipt(value.receipt) };
    return isRecord(value) && Number(value.v) > 1 ? 'unreadable' : 'damaged';
  } catch {
    return 'damaged';
  }
}

function isEntry(value: unknown): value is TaskEntry {
  if (!isRecord(value) || value.v !== 1) return false;
  const { kind, baseURL, account, idempotencyKey, hash, createdAt, output } = value;
  return (
    generationKinds.some((known) => known === kind) &&
    [baseURL, account, idempotencyKey, hash, createdAt, output].every(isNonEmptyString) &&
    (value.request === undefined || isRequest(value.request))
  );
}

/** A receipt that can be read. Without it, the key still leads to the task. */
function readReceipt(receipt: unknown): Receipt | undefined {
  try {
    return receipt === undefined ? undefined : parseReceipt(receipt);
  } catch {
    return undefined;
  }
}

function isRequest(value: unknown): value is GenerationRequest {
  if (!isRecord(value)) return false;
  const { kind, model, prompt, params } = value;
  return [kind, model, prompt ?? model].every(isNonEmptyString) && isRecord(params);
}

/** Whether two base URLs are those of one service. */
export const isSameService = (one: string, other: string): boolean =>
  serviceURL(one) === serviceURL(other);

/** The folder in which the commands keep what must survive them. */
export const stateFolder = (environment: Environment): string =>
  userFolder('XDG_STATE_HOME', environment);

/** Reports that nothing can be kept in the state folder. */
export const stateError = (folder: string, error: unknown): UsageError =>
  new UsageError(
    `cannot write to the state folder ${folder}: ${messageOf(error)}. Without it, a crash could lose what was paid for; ${setVariable('XDG_STATE_HOME')}`,
    { cause: error },
  );

const toText = (entry: TaskEntry) => `${JSON.stringify(entry, undefined, 2)}\n`;

/** The tasks that were submitted on this machine, one file each, readable by their owner only. */
export class TaskStore {
  readonly #folder: string;

  constructor(environment: Environment) {
    this.#folder = join(stateFolder(environment), 'tasks');
  }

  /** Stores an entry. When this returns, it survives a crash. */
  write(entry: TaskEntry): void {
    writeDurably(this.#pathOf(entry), toText(entry));
  }

  /**
   * Stores an entry before anything is sent: without its request if there is no room for it. Returns false if another
   * process has stored one. Throws a `UsageError` if not even the key can be stored.
   */
  create(entry: TaskEntry): boolean {
    const path = this.#pathOf(entry);
    try {
      try {
        createDurably(path, toText(entry));
      } catch (error) {
        if (codeOf(error) === 'EEXIST' && existsSync(path)) return false;
        createDurably(path, toText({ ...entry, request: undefined }));
      }
      return true;
    } catch (error) {
      throw stateError(this.#folder, error);
    }
  }

  /** Forgets a request that was certainly not accepted, unless another process has sent it, too, and it is not `isFreed`. */
  remove(entry: TaskEntry, isFreed = false): void {
    const path = this.#pathOf(entry);
    const isNeeded = (at: string) => {
      const found = this.#read(at);
      if (typeof found !== 'object' || found.receipt !== undefined) return true;
      return found.resent === true && !isFreed;
    };
    try {
      if (isNeeded(path)) return;
      // Another process may write it at this moment.
      const taken = `${path}.${process.pid}.tmp`;
      renameSync(path, taken);
      if (isNeeded(taken) && !existsSync(path)) renameSync(taken, path);
      else rmSync(taken);
    } catch {
      // An entry that cannot be removed costs nothing: its request is sent again only under its key.
    }
  }

  /** All entries, oldest first. Files that this version cannot read are left out. */
  list(): TaskEntry[] {
    let names: string[] = [];
    try {
      names = readdirSync(this.#folder);
    } catch {
      // There is no folder yet, or none that can be read: tasks are found at the service.
    }
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => this.#read(join(this.#folder, name)))
      .filter((found) => typeof found === 'object')
      .toSorted((first, second) => first.createdAt.localeCompare(second.createdAt));
  }

  /** The entry of a key; `damaged` if it does not say what was sent. Throws an `UnreadableEntryError`. */
  get(key: Pick<TaskEntry, 'account' | 'idempotencyKey'>): TaskEntry | 'damaged' | undefined {
    const path = this.#pathOf(key);
    const found = this.#read(path);
    if (found === 'unreadable') {
      throw new UnreadableEntryError(
        `cannot read ${path}, which a newer version of polygate or another user has written. Nothing is sent for it`,
      );
    }
    const isForeign = typeof found === 'object' && this.#pathOf(found) !== path;
    return isForeign ? 'damaged' : found;
  }

  /** The entries with a task id or idempotency key. There may be several: each service has its own ids. */
  find(idOrKey: string): TaskEntry[] {
    return this.list().filter(
      ({ receipt, idempotencyKey }) => receipt?.id === idOrKey || idempotencyKey === idOrKey,
    );
  }

  #read(path: string) {
    try {
      return parseEntry(readFileSync(path, 'utf8'));
    } catch (error) {
      return isMissing(error) ? undefined : 'unreadable';
    }
  }

  #pathOf({ account, idempotencyKey }: Pick<TaskEntry, 'account' | 'idempotencyKey'>): string {
    return join(this.#folder, `${digest(`${account} ${idempotencyKey}`).slice(0, 32)}.json`);
  }
}
