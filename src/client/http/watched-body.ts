import { monotonicNow, startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { garbage } from '../config/environment.ts';
import type { BodyReader } from './response-body.ts';

/** What can end a body early, and what its end releases. */
export interface BodyWatch {
  readonly config: Pick<Config, 'clock' | 'streamIdleTimeout'>;
  readonly signal: AbortSignal | undefined;
  /** Whether the time before the first read is idle time: a body that is never read must not hold its slot forever. */
  readonly isTimedBeforeFirstRead: boolean;
  /** Creates the error for `streamIdleTimeout`. */
  readonly idle: (ms: number) => unknown;
  /** Creates the error for an aborted signal. */
  readonly aborted: (reason: unknown) => unknown;
  /** Called once, as soon as the body has ended: without an error if it is complete. */
  readonly onEnd?: (error: unknown, isAborted: boolean) => void;
}

/**
 * A body that ends exactly once: it is complete, it fails, or it is aborted. Its end stops the idle timer and the abort
 * listener, and frees the connection.
 */
export class WatchedBody {
  /** Whether it is neither complete, failed nor aborted. */
  isOpen = true;
  /** Whether everything that the service sent has been read. */
  isAtEnd = false;
  readonly #reader: BodyReader;
  readonly #watch: BodyWatch;
  /** When the current wait for data began, in monotonic ms; undefined between two waits. */
  #waitingSince: number | undefined;
  #stopTimer: (() => void) | undefined;
  #stopListening: (() => void) | undefined;
  #isAbandoned = false;
  #failure: unknown;
  #onFailure: ((error: unknown) => void) | undefined;

  constructor(reader: BodyReader, watch: BodyWatch) {
    this.#reader = reader;
    this.#watch = watch;
  }

  /**
   * Begins to watch. `onFailure` is called when the body fails or is aborted. It must not refer to the consumer, which
   * could then never be garbage collected.
   */
  start(onFailure?: (error: unknown) => void): void {
    const { signal, isTimedBeforeFirstRead } = this.#watch;
    this.#onFailure = onFailure;
    this.#stopListening = whenAborted(signal, (reason) => this.abort(reason));
    if (isTimedBeforeFirstRead) this.#beginWait();
    if (signal?.aborted) this.abort(signal.reason);
  }

  /**
   * Reads once, and passes on what was read: bytes, nothing at the end of the body, or the error that broke the connection.
   * An error that `receive` throws ends the body. Rejects if the body has ended before anything could be received.
   */
  async read(receive: (bytes: Uint8Array | undefined, error?: unknown) => void): Promise<void> {
    let bytes: Uint8Array | undefined;
    let error: unknown;
    this.#beginWait();
    try {
      const { done, value } = await this.#reader.read();
      this.isAtEnd = done;
      bytes = value;
    } catch (broken) {
      this.isAtEnd = true;
      error = broken ?? new Error('The connection was lost.');
    }
    // The time that a slow consumer takes between two reads is not idle time, unless the consumer no longer exists.
    if (!this.#isAbandoned) this.#waitingSince = undefined;
    if (!this.isOpen) throw this.#failure;
    try {
      receive(bytes, error);
    } catch (failure) {
      this.fail(failure);
      throw failure;
    }
  }

  /** Ends the body, because its content is complete. */
  complete(): void {
    if (this.#end(undefined, false) && !this.isAtEnd) {
      finishBody(this.#reader, this.#watch.config.clock);
    }
  }

  /** Ends the body with an error. Like `abort`, this has no effect on a body that has already ended. */
  fail(error: unknown): void {
    if (this.#end(error, false)) this.#stop(error);
  }

  /** Ends the body for the caller or the consumer. */
  abort(reason: unknown): void {
    if (this.#end(this.#watch.aborted(reason), true)) this.#stop(reason);
  }

  /** Counts all time from now on as idle time, because the consumer no longer exists. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#beginWait();
  }

  #beginWait(): void {
    if (!this.isOpen) return;
    const { clock, streamIdleTimeout } = this.#watch.config;
    this.#waitingSince = monotonicNow(clock);
    if (this.#stopTimer === undefined) this.#startTimer(streamIdleTimeout);
  }

  /**
   * Starts the idle timer. A body waits once per read, and a timer per read would cost more than the read itself. Instead, one timer keeps
   * running across waits and, when it fires, checks how long the current wait has lasted.
   */
  #startTimer(delayMs: number): void {
    const { clock, streamIdleTimeout } = this.#watch.config;
    this.#stopTimer = startTimer(clock, delayMs, () => {
      this.#stopTimer = undefined;
      if (this.#waitingSince === undefined) return;
      const remainingMs = this.#waitingSince + streamIdleTimeout - monotonicNow(clock);
      if (remainingMs > 0) this.#startTimer(remainingMs);
      else this.fail(this.#watch.idle(streamIdleTimeout));
    });
  }

  /** Ends the body, unless it has already ended. Returns whether it was still open. */
  #end(error: unknown, isAborted: boolean): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.#failure = error;
    this.#waitingSince = undefined;
    this.#stopTimer?.();
    this.#stopListening?.();
    this.#watch.onEnd?.(error, isAborted);
    return true;
  }

  /** Informs the consumer, and ends a pending read and the connection. */
  #stop(reason: unknown): void {
    this.#onFailure?.(this.#failure);
    this.#reader.cancel(reason).catch(() => undefined);
  }
}

/**
 * Checks what one read has returned, before the consumer receives it. Returns whether the body is complete, and throws
 * the error that ends it. Before it throws, it can pass the part of the bytes before the failure to `deliver`.
 */
export type BodyCheck = (
  bytes: Uint8Array | undefined,
  error?: unknown,
  deliver?: (part: Uint8Array) => void,
) => boolean;

/** Starts a body, and returns it as a stream that reads it on demand. */
export function toStream(body: WatchedBody, check: BodyCheck): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      start(controller) {
        const reference = weakly(controller);
        body.start((error) => reference.deref()?.error(error));
      },
      pull: (controller) =>
        body.read((bytes, error) => {
          const isComplete = check(bytes, error, (part) => controller.enqueue(part));
          // A callback that the check called may have aborted.
          if (!body.isOpen) return;
          if (bytes) controller.enqueue(bytes);
          if (!isComplete) return;
          body.complete();
          controller.close();
        }),
      cancel: (reason) => body.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Reads the rest of a body for up to 100 ms, so that the connection can be reused, and then cancels it. */
function finishBody(reader: BodyReader, clock: Clock): void {
  const stopTimer = startTimer(clock, 100, () => void reader.cancel().catch(stopTimer));
  const read = (): Promise<void> => reader.read().then(({ done }) => (done ? stopTimer() : read()));
  read().catch(stopTimer);
}

/** References an object without keeping it alive, except where `FinalizationRegistry` is missing, and `WeakRef` with it. */
function weakly<Target extends object>(target: Target): Pick<WeakRef<Target>, 'deref'> {
  return garbage ? new WeakRef(target) : { deref: () => target };
}
