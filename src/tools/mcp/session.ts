import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { finalPath } from '../../integrations/node/final-path.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { messageOf, UsageError } from '../cli/arguments.ts';
import { prepareFolder } from '../cli/save-results.ts';
import type { Environment } from '../cli/settings.ts';
import { writeDurably } from '../cli/state-file.ts';
import { digest, stateError, stateFolder } from '../cli/task-store.ts';

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
    if (isRecord(error) && error.code === 'ENOENT') return undefined;
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const id = idIn(text);
  if (id !== undefined) return id;
  throw new UsageError(
    `${path} is damaged. Without it, repeated calls would be paid for again; remove it to start anew`,
  );
}

function idIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isNonEmptyString(value.id) ? value.id : undefined;
  } catch {
    return undefined;
  }
}

/** What identifies a call: repeated with the same values, it is the same task. */
interface CallIdentity {
  readonly tool: string;
  /** The fields of the request, in a fixed order. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly again: string | undefined;
}

/** The idempotency key of a call. */
export function keyOf({ id }: Session, { tool, body, again }: CallIdentity): string {
  const identity = [id, tool, body, ...(again === undefined ? [] : [again])];
  return `mcp-${digest(JSON.stringify(identity))}`;
}

/** The name of a result, as a template. Neither the service nor the prompt can choose it. */
export function outputOf({ folder }: Session, kind: string, idempotencyKey: string): string {
  return join(folder, `${kind}-${digest(idempotencyKey).slice(0, 12)}.{ext}`);
}
