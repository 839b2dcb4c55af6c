import type { ConcurrencyMeta } from '../../schemas/meta.ts';
import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { liveView } from './live-view.ts';

/** The account's concurrency as this client sees it: a live view. */
export interface ConcurrencyState extends ConcurrencyMeta {
  /** Requests of this client that hold a slot. */
  readonly inFlight: number;
  /** Requests of this client that are waiting for a slot. */
  readonly queued: number;
}

/** How many requests may be in flight concurrently. */
export interface ConcurrencyWindow {
  /** Maximum number of requests in flight. */
  readonly size: number;
  /** The account's limit, as last reported. */
  readonly limit?: number | undefined;
  /** Whether no response has arrived yet, so that the size is a guess. */
  readonly initial?: boolean | undefined;
}

/** The window before the first response. */
export const initialWindow: ConcurrencyWindow = { size: 4, initial: true };

/**
 * The window after a response. A reported limit or `remaining` sets its size. Otherwise, the first response opens it
 * fully, and each later one grows it by one, up to the last known limit.
 */
export function windowAfterSuccess(
  window: ConcurrencyWindow,
  reported: ConcurrencyMeta,
  inFlight: number,
): ConcurrencyWindow {
  const { limit = window.limit, remaining } = reported;
  const maxSize = limit ?? Infinity;
  const grown = window.initial || reported.limit !== undefined ? maxSize : window.size + 1;
  const available = remaining === undefined ? grown : inFlight + Math.max(0, remaining);
  return { limit, size: Math.max(1, Math.min(maxSize, available)) };
}

/** The window after a 429: what is in flight now. If the response reports no limit, half of that. */
export function windowAfterRejection(
  window: ConcurrencyWindow,
  reported: ConcurrencyMeta,
  inFlight: number,
): ConcurrencyWindow {
  const { limit = window.limit } = reported;
  const size = reported.limit === undefined ? Math.min(window.size, inFlight + 1) / 2 : inFlight;
  return { limit, size: Math.max(1, Math.min(limit ?? Infinity, Math.floor(size))) };
}

/** Releases a slot. Only the first call has an effect. */
export type ReleaseSlot = () => void;

interface Waiter {
  readonly cap: number;
  readonly enter: (release: ReleaseSlot) => void;
}

/**
 * Keeps requests in flight at or below the account's concurrency limit. Requests without a slot wait here, first come,
 * first served, instead of being rejected with a 429. Specification: Limits.
 */
export class ConcurrencyLimiter {
  readonly #clock: Clock;
  readonly #queue = new Set<Waiter>();
  /** Requests that the service rejected. They had reached the front of the queue before, so they go first. */
  readonly #rejectedQueue = new Set<Waiter>();
  #window: ConcurrencyWindow = initialWindow;
  #reported: ConcurrencyMeta = {};
  #inFlight = 0;
  /** No request is admitted before this time. */
  #pausedUntil = 0;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The live view behind `gateway.concurrency`. */
  view(): ConcurrencyState {
    return liveView<ConcurrencyState>({
      limit: () => this.#reported.limit,
      remaining: () => this.#reported.remaining,
      source: () => this.#reported.source,
      inFlight: () => this.#inFlight,
      queued: () => this.#queue.size + this.#rejectedQueue.size,
    });
  }

  /** Takes a slot if one is free and no request is waiting. `cap` is the client's configured limit. */
  tryAcquire(cap: number): ReleaseSlot | undefined {
    return this.#queue.size + this.#rejectedQueue.size === 0 && this.#hasRoom(cap)
      ? this.#grant()
      : undefined;
  }

  /** Waits for a slot until the signal aborts. Requests that the service rejected go first. */
  acquire(cap: number, signal: AbortSignal, wasRejected: boolean): Promise<ReleaseSlot> {
    const queue = wasRejected ? this.#rejectedQueue : this.#queue;
    return new Promise((resolve, reject) => {
      const stopListening = whenAborted(signal, (reason) => {
        queue.delete(waiter);
        this.#admit();
        reject(reason);
      });
      const waiter: Waiter = {
        cap,
        enter: (release) => {
          stopListening();
          resolve(release);
        },
      };
      queue.add(waiter);
      this.#admit();
    });
  }

  /** Updates the window after a request with a slot has succeeded, or a response has reported a limit. */
  recordLimits(reported: ConcurrencyMeta): void {
    this.#window = windowAfterSuccess(this.#window, reported, this.#inFlight);
    this.#update(reported);
  }

  /** Updates the window after a 429, and admits no request for `ms`. */
  recordRejection(reported: ConcurrencyMeta, ms: number): void {
    this.#window = windowAfterRejection(this.#window, reported, this.#inFlight - 1);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
    this.#update(reported);
  }

  #update(reported: ConcurrencyMeta): void {
    if (reported.limit !== undefined || reported.remaining !== undefined) this.#reported = reported;
    this.#admit();
  }

  #hasRoom(cap: number): boolean {
    return this.#remainingPauseMs() <= 0 && this.#inFlight < Math.min(this.#window.size, cap);
  }

  #remainingPauseMs(): number {
    return this.#pausedUntil === 0 ? 0 : this.#pausedUntil - this.#clock.now();
  }

  /** Admits waiting requests while there is room. During a pause, sets a timer that admits them when it ends. */
  #admit(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const queue of [this.#rejectedQueue, this.#queue]) {
      for (const waiter of queue) {
        if (!this.#hasRoom(waiter.cap)) {
          const ms = this.#remainingPauseMs();
          if (ms > 0) this.#stopTimer = startTimer(this.#clock, ms, () => this.#admit());
          return;
        }
        queue.delete(waiter);
        waiter.enter(this.#grant());
      }
    }
  }

  #grant(): ReleaseSlot {
    this.#inFlight += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inFlight -= 1;
      this.#admit();
    };
  }
}
