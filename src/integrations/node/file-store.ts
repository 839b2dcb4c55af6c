import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { ConfigurationError } from '../../errors/base.ts';
import { lockFile } from '../journal/lock-file.ts';
import { newTables, storeIn } from '../proxy/store/memory-store.ts';
import type { EntryName } from '../proxy/store/memory-store.ts';
import type { Store } from '../proxy/store/store.ts';
import { finalPath, syncFolder } from './final-path.ts';
import { entryLine, fileHeader, readTables } from './store-lines.ts';

/** A store in a file. */
export interface FileStore extends Store {
  /**
   * Locks and reads the file, which the first operation does otherwise. Call it when your app starts, to learn of problems.
   *
   * @throws `ConfigurationError` if another process uses the file, or if it is damaged.
   */
  ready(): Promise<void>;
  /** Waits for the operations that have begun, and unlocks the file. */
  close(): Promise<void>;
}

/** The file is rewritten when it has grown by this many bytes, and to twice its size. */
const minGrowth = 1_048_576;

/**
 * Creates a store for `createProxyHandler` in a file, for apps with one process. What an operation records is on the disk
 * before it ends, so that nothing is lost if the process or the machine crashes. Requests that were in flight at that
 * time may have been charged: their prices stay reserved. The state is also kept in memory.
 *
 * While a process uses the file, a small file next to it, whose name ends with `.lock`, keeps other processes away: their
 * operations fail, and the proxy responds with a 503 to requests that need the store. The file contains user ids.
 *
 * @param path - Path of the file. If it does not exist, it is created, readable by its owner only. Its folder must exist.
 *
 * @example
 * ```ts
 * const store = fileStore('./data/proxy-store.jsonl');
 * await store.ready();
 * const handler = createProxyHandler({ ...options, store, limits: { usd: 1 }, isolate: true });
 * ```
 */
export function fileStore(path: string): FileStore {
  let opening: ReturnType<typeof openStore> | undefined;
  async function opened() {
    opening ??= openStore(path);
    try {
      return await opening;
    } catch (error) {
      // The other process may end, and the file may be replaced.
      opening = undefined;
      throw error;
    }
  }
  const running = new Set<Promise<unknown>>();
  async function run<Result>(operation: (store: Store) => Promise<Result>): Promise<Result> {
    const result = opened().then(({ store }) => operation(store));
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  }
  return {
    reserve: (reservation) => run((store) => store.reserve(reservation)),
    settle: (settlement) => run((store) => store.settle(settlement)),
    renew: (user, requests, leaseMs) => run((store) => store.renew(user, requests, leaseMs)),
    usage: (user, windowMs) => run((store) => store.usage(user, windowMs)),
    own: (user, resources) => run((store) => store.own(user, resources)),
    ownersOf: (resources) => run((store) => store.ownersOf(resources)),
    ready: async () => void (await opened()),
    async close() {
      const closing = opening;
      opening = undefined;
      await Promise.allSettled(running);
      await closing?.then(
        (current) => current.close(),
        () => {},
      );
    },
  };
}

/** Locks and reads a file. */
async function openStore(given: string) {
  const path = finalPath(given);
  const lock = await lockFile(
    path,
    undefined,
    'fileStore',
    'A file store is for one process: use `redisStore` for several.',
    null,
  );
  try {
    const tables = newTables();
    const readSize = await readTables(path, tables);
    let file = await open(path, 'a', 0o600);
    let size = readSize;
    let rewriteAt = 0;
    /** What is in the tables, and may not be in the file. */
    let dirty = new Map<string, EntryName>();
    let writing: Promise<void> | undefined;

    async function append(target: FileHandle, text: string): Promise<void> {
      await target.appendFile(text);
      await target.datasync();
    }

    async function rewrite(): Promise<void> {
      const temporary = `${path}.new`;
      const next = await open(temporary, 'w', 0o600);
      try {
        await next.appendFile(fileHeader);
        for (const table of ['users', 'attempts', 'keys', 'owners'] as const) {
          const names = [...tables[table].keys()];
          for (let start = 0; start < names.length; start += 1_000) {
            const some = names.slice(start, start + 1_000).map((name) => [table, name] as const);
            await next.appendFile(entryLine(tables, some));
          }
        }
        await next.sync();
        const { size: written } = await next.stat();
        await rename(temporary, path);
        await syncFolder(dirname(path));
        const old = file;
        file = await open(path, 'a', 0o600);
        await old.close();
        size = written;
        rewriteAt = 2 * written + minGrowth;
      } finally {
        await next.close();
      }
    }

    /** Writes everything that has changed. The changes of parallel operations share one write. */
    async function write(): Promise<void> {
      if (!(await lock.isHeld())) {
        throw new ConfigurationError(
          `fileStore: '${path}' was taken over by another process, because this one showed no sign of life.`,
        );
      }
      const changed = dirty;
      dirty = new Map();
      try {
        if (size >= rewriteAt) return await rewrite();
        const line = entryLine(tables, [...changed.values()]);
        await append(file, line);
        size += Buffer.byteLength(line);
      } catch (error) {
        dirty = new Map([...changed, ...dirty]);
        // A full disk takes a part of a line, after which the next one could not be read.
        await file.truncate(size).catch(() => {
          rewriteAt = 0;
        });
        throw error;
      }
    }

    async function save(changed: readonly EntryName[]): Promise<void> {
      for (const entry of changed) dirty.set(JSON.stringify(entry), entry);
      // The write that has begun may not include the change.
      await writing?.catch(() => {});
      if (dirty.size > 0) {
        writing ??= write().finally(() => {
          writing = undefined;
        });
      }
      // Another operation may have begun to write this change.
      await writing;
    }

    await write();
    return {
      store: storeIn(tables, save),
      async close() {
        await file.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
