import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';

import { codeOf, finalPath } from '../../integrations/node/final-path.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { messageOf, parseJsonOr, UsageError } from '../cli/arguments.ts';
import { ExistingFiles, fillTemplate } from '../cli/output-name.ts';
import { prepareFolder, saveResult } from '../cli/save-results.ts';
import type { Environment } from '../cli/settings.ts';
import { writeDurably } from '../cli/state-file.ts';
import { digest, stateError, stateFolder } from '../cli/task-store.ts';
import type { TaskEntry } from '../cli/task-store.ts';

/** The folder of the results, and the id that its idempotency keys are derived from. */
export interface Session {
  readonly folder: string;
  readonly id: string;
}

/**
 * Creates the folder of the results, and opens its session: the same one in every process.
 *
 * @throws `UsageError` if the folder or the state folder cannot be used.
 */
export function openSession(output: string, environment: Environment): Session {
  prepareFolder(join(resolve(output), 'file'));
  const folder = realpathSync(output);
  if (/[{}]/.test(folder)) {
    throw new UsageError(`--output: ${folder} must not contain braces, which are placeholders`);
  }
  const name = `${digest(folder).slice(0, 32)}.json`;
  const path = finalPath(join(stateFolder(environment), 'mcp', name));
  return { folder, id: readSession(path) ?? createSession(path, folder) };
}

/** Creates the file of a session, unless another process does so at the same time. */
function createSession(path: string, folder: string): string {
  const id = randomUUID();
  const temporary = join(dirname(path), `.${id}.tmp`);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeDurably(temporary, `${JSON.stringify({ v: 1, id, folder })}\n`);
    // Unlike a rename, this fails if the file exists.
    linkSync(temporary, path);
    return id;
  } catch (error) {
    const other = readSession(path);
    if (other !== undefined) return other;
    throw stateError(dirname(path), error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Reads the file of a session; undefined if there is none. With another id, calls would be paid for again. */
function readSession(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const session = parseJsonOr(text);
  if (isRecord(session) && isNonEmptyString(session.id)) return session.id;
  throw new UsageError(
    `${path} is damaged. Without it, repeated calls would be paid for again; remove it to start anew`,
  );
}

/** The idempotency key of a call: repeated with the same values, it is the same task. */
export function keyOf(
  { id }: Session,
  {
    tool,
    body,
    again,
  }: {
    readonly tool: string;
    /** The fields of the request, in a fixed order. */
    readonly body: Readonly<Record<string, unknown>>;
    readonly again: string | undefined;
  },
): string {
  const identity = [id, tool, body, ...(again === undefined ? [] : [again])];
  return `mcp-${digest(JSON.stringify(identity))}`;
}

/** The name of a result, as a template. Neither the service nor the prompt can choose it. */
export function outputOf({ folder }: Session, kind: string, idempotencyKey: string): string {
  return join(folder, `${kind}-${digest(idempotencyKey).slice(0, 12)}.{ext}`);
}

/** A result on this machine. */
export interface ResultFile {
  readonly path: string;
  readonly bytes: number;
  /** Whether nothing proves that the end of the file was not cut off. */
  readonly isUnverified: boolean;
}

/** Saves results in the folder, once for each task, even while several calls wait for them. */
export class Results {
  readonly #session: Session;
  readonly #gateway: Polygate;
  readonly #ended: AbortSignal;
  readonly #saving = new Map<string, Promise<ResultFile[]>>();

  /** `ended` aborts when the server ends. */
  constructor(session: Session, gateway: Polygate, ended: AbortSignal) {
    this.#session = session;
    this.#gateway = gateway;
    this.#ended = ended;
  }

  /** Saves the results of a task, unless they are in the folder. Is not canceled with a call. */
  save(
    { kind, idempotencyKey }: TaskEntry,
    generation: SucceededGeneration,
  ): Promise<ResultFile[]> {
    const known = this.#saving.get(idempotencyKey);
    if (known !== undefined) return known;
    const template = outputOf(this.#session, kind, idempotencyKey);
    const saving = this.#saveAll(generation, template).finally(() => {
      this.#saving.delete(idempotencyKey);
    });
    this.#saving.set(idempotencyKey, saving);
    return saving;
  }

  async #saveAll(generation: SucceededGeneration, template: string): Promise<ResultFile[]> {
    const files: ResultFile[] = [];
    for (const index of generation.urls.keys()) {
      const path = fillTemplate(template, { id: '', n: index + 1 });
      files.push(await this.#saveOne({ generation, index }, path));
    }
    return files;
  }

  async #saveOne(
    source: { readonly generation: SucceededGeneration; readonly index: number },
    path: string,
  ): Promise<ResultFile> {
    // A file gets its name when it is complete, so one that exists does not have to be downloaded again.
    const existing = new ExistingFiles().find(path);
    if (existing !== undefined) {
      return { path: existing, bytes: statSync(existing).size, isUnverified: false };
    }
    // The name belongs to this task. Another server may be saving the same file.
    const options = { overwrite: true, signal: this.#ended };
    const saved = await saveResult(this.#gateway, source, path, options);
    return { path: saved.path, bytes: saved.bytes, isUnverified: saved.complete === 'unverified' };
  }
}
