import type { Redis } from 'ioredis';

import { disconnect, reconnecting, maxSilence } from './connection.ts';
import type { Channels } from './keys.ts';

/**
 * An announcement: a row that has ended, or a pause. After a reconnect, both flags are set: announcements may have been
 * missed.
 */
export interface Announcement {
  /** The job of the row that has ended; undefined if it can be any. */
  readonly jobId?: string | undefined;
  readonly concernsRows: boolean;
  readonly concernsPause: boolean;
}

/** Waits for announcements that concern one reader. */
export interface Watch {
  /** Resolves when there has been one since the last call, or none for a while. */
  next(): Promise<void>;
  stop(): void;
}

/** What the processes of a queue announce to each other. */
export class Announcements {
  readonly #connection: Redis;
  readonly #listeners = new Set<(announcement: Announcement) => void>();

  constructor(redis: Redis, { ended, paused }: Channels) {
    const connection = reconnecting(redis);
    this.#connection = connection;
    connection.on('message', (channel: string, jobId: string) => {
      const concernsRows = channel === ended;
      this.#notify({ jobId, concernsRows, concernsPause: !concernsRows });
    });
    // Announcements are lost while the connection is down.
    connection.on('ready', () => {
      const announceAll = () => this.#notify({ concernsRows: true, concernsPause: true });
      // If this fails, the connection is lost again, and another `ready` follows.
      connection.subscribe(ended, paused).then(announceAll, () => undefined);
    });
  }

  /** Calls `listener` after each announcement. The returned function stops that. */
  listen(listener: (announcement: Announcement) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches the end of one row, or of all. Start to watch before you look, so that nothing is missed in between. */
  watch(jobId?: string): Watch {
    let hasChanged = false;
    let wake = () => {};
    const stop = this.listen((announcement) => {
      if (!announcement.concernsRows) return;
      if (jobId !== undefined && (announcement.jobId ?? jobId) !== jobId) return;
      hasChanged = true;
      wake();
    });
    const next = async () => {
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, maxSilence);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasChanged = false;
    };
    return { next, stop };
  }

  close(): void {
    disconnect(this.#connection);
    this.#notify({ concernsRows: true, concernsPause: true });
  }

  #notify(announcement: Announcement): void {
    for (const listener of this.#listeners) listener(announcement);
  }
}
