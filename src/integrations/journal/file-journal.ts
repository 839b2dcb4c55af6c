import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { ConfigurationError } from '../../errors/base.ts';
import { unknownNameProblem } from '../../wire/types/nearest-name.ts';
import type { Journal } from '../../wire/types/tasks/task-handle.ts';
import { codeOf, finalPath, syncFolder } from '../node/final-path.ts';
import { lockFile } from './lock-file.ts';
import type { FileLock } from './lock-file.ts';

/** Options of {@link fileJournal}. */
export interface FileJournalOptions {
  /**
   * Whether to store the params of each row, including prompts. With them, `gateway.recover` can resubmit rows without
   * their inputs.
   * @defaultValue false
   */
  storeParams?: boolean | undefined;
}

/** A line that has not been written yet, and the callbacks that settle its `append`. */
interface PendingLine {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a {@link Journal} in a file, with one JSON line per journal entry. Each line is flushed to disk before
 * `append` resolves, so it survives a crash of the process or the machine. The file is append-only and is not kept
 * open. While a batch has locked it, a small file next to it, whose name ends with `.lock`, keeps other processes away.
 * The lock of a process that has died is removed immediately on the same machine, and after ten seconds if the process
 * was in another container or on another machine.
 *
 * @param path - Path of the file. If the file does not exist, it is created, readable by its owner only. Its folder
 * must exist.
 * @throws `ConfigurationError` if an option is unknown.
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): Journal {
  const problem = unknownNameProblem(options, ['storeParams']);
  if (problem !== undefined) throw new ConfigurationError(problem);
  const { storeParams } = options;
  let pending: PendingLine[] = [];
  let isFlushing = false;

  /** Writes all pending lines together, so that rows submitted in parallel share one flush. */
  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (pending.length > 0) {
      const lines = pending;
      pending = [];
      try {
        if (lock && !(await lock.isHeld())) throw lostLockError(path);
        await write(path, lines.map(({ line }) => `${line}\n`).join(''), lock);
        for (const { resolve } of lines) resolve();
      } catch (error) {
        for (const { reject } of lines) reject(error);
      }
    }
    isFlushing = false;
  };

  let lock: FileLock | undefined;

  return {
    storeParams,
    read: () => readLines(path),
    append: (line) =>
      new Promise((resolve, reject) => {
        pending.push({ line, resolve, reject });
        if (!isFlushing) void flush();
      }),
    lock: async () => {
      const held = await lockFile(path);
      lock = held;
      return async () => {
        if (lock === held) lock = undefined;
        await held.release();
      };
    },
  };
}

/** A process that was suspended for long must not send what another one may have sent in the meantime. */
function lostLockError(path: string): ConfigurationError {
  return new ConfigurationError(
    `journal: '${path}' was taken over by another process, because this one showed no sign of life.`,
  );
}

async function write(path: string, text: string, lock: FileLock | undefined): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    // If the process died during a write, the last line is incomplete: start a new one.
    const isIncomplete = size > 0 && !(await endsWithNewline(file, size));
    const added = isIncomplete ? `\n${text}` : text;
    try {
      await file.appendFile(added);
      await file.datasync();
    } catch (error) {
      // A full disk takes a part of the lines. None of them is acted on, so none of them may stay.
      const { size: now } = await file.stat();
      const isOwn = now <= size + Buffer.byteLength(added);
      if (isOwn && (await lock?.isHeld())) await file.truncate(size).catch(() => undefined);
      throw error;
    }
    if (size === 0) await syncFolder(dirname(finalPath(path)));
  } finally {
    await file.close();
  }
}

async function endsWithNewline(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read({ buffer: new Uint8Array(1), position: size - 1 });
  return buffer[0] === 0x0a;
}

async function* readLines(path: string): AsyncGenerator<string, void, undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  let incompleteLine = '';
  // Not file.readLines(), which splits at U+2028 and U+2029: they are valid inside JSON strings.
  for await (const part of file?.createReadStream({ encoding: 'utf8' }) ?? []) {
    const lines = `${incompleteLine}${String(part)}`.split('\n');
    incompleteLine = lines.pop() ?? '';
    yield* lines;
  }
  if (incompleteLine !== '') yield incompleteLine;
}
