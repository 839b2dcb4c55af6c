import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { isRecord } from '../../schemas/type-guards.ts';

/** Reads a state file; undefined if there is none. Throws an error with a one-line message. */
export function readState(path: string): object | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') return undefined;
    throw new Error(`cannot read the state file: ${reasonOf(error)}`, { cause: error });
  }
  const state = parseJson(text);
  if (isRecord(state)) return state;
  throw new Error(
    `${path} is not a state file of this command: it is not a JSON object. Move it away, or choose another --state file`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Writes a state file, so that it always contains either the old or the new state. Synchronous, so that it is complete
 * before the response to the request that changed the state is sent: whatever a client knows about survives a kill.
 */
export function writeState(path: string, state: object): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    // It contains prompts.
    writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Error(`cannot write the state file: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the reason of a system error in one line. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
