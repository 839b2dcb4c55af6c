import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Journal } from '../schemas/journal.ts';

/** Options of {@link fileJournal}. */
export interface FileJournalOptions {
  /**
   * Whether the params of each row, prompts among them, are written down too: `gateway.recover` can then ask again by
   * itself.
   * @defaultValue false
   */
  storeParams?: boolean | undefined;
}

/** A line that waits for the disk. */
interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A journal in a file, a line of JSON for each step: flushed to the disk before `append` resolves, so that it survives a
 * crash of the process and of the machine. Lines are only ever added. Nothing has to be closed.
 *
 * @param path - The file; it is made when it is missing, readable by its owner alone. Its folder must exist.
 */
export function fileJournal(path: string, { storeParams }: FileJournalOptions = {}): Journal {
  let waiting: Waiting[] = [];
  let flushing = false;

  /** Writes everything that waits at once: rows that come together share one flush. */
  const flush = async (): Promise<void> => {
    flushing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await write(path, group.map(({ line }) => `${line}\n`).join(''));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    flushing = false;
  };

  return {
    storeParams,
    read: () => lines(path),
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (!flushing) void flush();
      }),
  };
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const torn = size > 0 && !(await endsLine(file, size));
    // A process that died while it wrote has left half a line: what comes now begins on a line of its own.
    await file.appendFile(torn ? `\n${text}` : text);
    await file.datasync();
    if (size === 0) await syncFolder(path);
  } finally {
    await file.close();
  }
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read({ buffer: new Uint8Array(1), position: size - 1 });
  return buffer[0] === 0x0a;
}

/** A new file survives a crash of the machine only with the entry of its folder; some systems cannot flush that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function* lines(path: string): AsyncGenerator<string, void, undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  let rest = '';
  // Not readLines(), which also breaks lines at characters that JSON leaves as they are.
  for await (const part of file?.createReadStream({ encoding: 'utf8' }) ?? []) {
    const whole = `${rest}${String(part)}`.split('\n');
    rest = whole.pop() ?? '';
    yield* whole;
  }
  if (rest !== '') yield rest;
}
