import type { Redis } from 'ioredis';

/** How often to look for changes although none was announced, in ms: an announcement can be lost. */
const maxSilence = 5_000;

/** What the processes of a queue announce to each other: ended rows and pauses. */
export class Announcements {
  readonly #connection: Redis;
  readonly #listeners = new Set<() => void>();
  /** Number of announcements so far. */
  #count = 0;

  constructor(redis: Redis, channels: readonly string[]) {
    this.#connection = redis.duplicate({ maxRetriesPerRequest: null });
    const notify = () => this.#notify();
    this.#connection.on('error', () => undefined);
    this.#connection.on('message', notify);
    // Announcements are lost while the connection is down.
    this.#connection.on('ready', notify);
    this.#connection.subscribe(...channels).catch(() => undefined);
  }

  get count(): number {
    return this.#count;
  }

  /** Calls `listener` after each announcement. The returned function stops that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when there have been more than `count` announcements, or none for a while. */
  after(count: number): Promise<void> {
    if (this.#count > count) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(done, maxSilence);
      const stop = this.listen(done);
    });
  }

  close(): void {
    this.#connection.disconnect();
    this.#notify();
  }

  #notify(): void {
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  }
}
