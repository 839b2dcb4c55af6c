import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { finalPath } from '../../integrations/node/final-path.ts';
import { isNonEmptyString, isRecord } from '../../wire/types/type-guards.ts';
import { messageOf, UsageError } from './arguments.ts';
import { makeFolder } from './files/make-folder.ts';

/** What the configuration file contains. Only the commands read it; the client never does. */
export interface ConfigFile {
  baseURL?: string | undefined;
  apiKey?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The path of the configuration file. */
export function configPath(environment: Environment): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'polygate', 'config.json');
}

/**
 * Reads the configuration file; empty if there is none. Throws a `UsageError` if other users can read it, because it
 * contains an API key, and if it is damaged.
 */
export function readConfigFile(path: string): ConfigFile {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return {};
  // Windows has no such modes.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new UsageError(
      `other users can read ${path}, which contains an API key. Run chmod 600 ${path}, and consider replacing the key`,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // A message of JSON.parse quotes the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : messageOf(error);
    throw new UsageError(`cannot read ${path}: ${reason}. Run polygate init to write it again`, {
      cause: error,
    });
  }
  const { baseURL, apiKey } = isRecord(content) ? content : {};
  return {
    baseURL: isNonEmptyString(baseURL) ? baseURL : undefined,
    apiKey: isNonEmptyString(apiKey) ? apiKey : undefined,
  };
}

/** Writes the configuration file, readable by its owner only. A symbolic link stays, and its target is replaced. */
export function writeConfigFile(path: string, { baseURL, apiKey }: ConfigFile): void {
  const target = finalPath(path);
  const temporary = `${target}.${process.pid}.tmp`;
  makeFolder(dirname(target), 0o700);
  try {
    const text = `${JSON.stringify({ baseURL, apiKey }, undefined, 2)}\n`;
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
