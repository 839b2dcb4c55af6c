import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { messageOf } from '../arguments.ts';

/** The file that keeps the state of a gateway. Errors have one-line messages. */
export class StateFile {
  readonly #path: string;
  /** The version that this process has read or written; undefined if there was no file. */
  #version: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the state; undefined if there is no file. Throws an error if the file is no state file. */
  read(): object | undefined {
    let text: string;
    try {
      this.#version = versionOf(this.#path);
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (isRecord(error) && error.code === 'ENOENT') return undefined;
      throw fileError('read', this.#path, error);
    }
    const state = parseJson(text);
    if (isRecord(state)) return state;
    throw new Error(
      `${this.#path} is not a state file of this command: it is not a JSON object. Move it away, or choose another --state file`,
    );
  }

  /**
   * Replaces the file, so that it always contains either the old or the new state. Synchronous, so that it is complete
   * before the response to the request that changed the state is sent: whatever a client knows about survives a kill.
   *
   * Throws an error if another process has changed the file, whose charges would be lost.
   */
  write(state: object): void {
    const target = finalPath(this.#path);
    const temporary = `${target}.${process.pid}.tmp`;
    const version = versionOf(this.#path);
    if (version !== undefined && version !== this.#version) {
      throw new Error(
        `another process has changed the state file ${this.#path}. Give each gateway a different file`,
      );
    }
    try {
      // It contains prompts.
      writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw fileError('write', this.#path, error);
    }
    this.#version = versionOf(this.#path);
  }
}

/** Identifies the content of a file, as each write creates another one; undefined if there is no file. */
function versionOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.ino} ${stats.mtimeNs}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Describes a system error. `EISDIR` and `ENOENT` are the usual ones of a path that was mistyped. */
function fileError(what: string, path: string, error: unknown): Error {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'EISDIR') {
    return new Error(`the state file ${path} is a directory; name a file in it`, { cause: error });
  }
  const reason = code === 'ENOENT' ? 'its directory does not exist' : messageOf(error);
  return new Error(`cannot ${what} the state file ${path}: ${reason}`, { cause: error });
}
