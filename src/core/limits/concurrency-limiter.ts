import type { ConcurrencyMeta } from '../../schemas/meta.ts';
import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { liveView } from './live-view.ts';

/** The account's concurrency as a client sees it; a live view. */
export interface ConcurrencyState extends ConcurrencyMeta {
  /** Requests of this client that hold a slot. */
  readonly inFlight: number;
  /** Requests of this client that wait for a slot. */
  readonly queued: number;
}

/** How many requests may be in flight, and what is known about it. */
export interface Window {
  /** Requests that may be in flight at once. */
  readonly size: number;
  /** What the service allows, as it last said. */
  readonly limit?: number | undefined;
  /** Whether it only guesses, because no answer has come yet. */
  readonly fresh?: boolean | undefined;
}

/** Where a client begins, before it knows the account's limit. */
export const initialWindow: Window = { size: 4, fresh: true };

/** The window after an answer: as its headers say; wide open when none ever said anything; else one more. */
export function windowAfterSuccess(
  window: Window,
  told: ConcurrencyMeta,
  inFlight: number,
): Window {
  const { limit = window.limit, remaining } = told;
  const most = limit ?? Infinity;
  const more = window.fresh || told.limit !== undefined ? most : window.size + 1;
  const free = remaining === undefined ? more : inFlight + Math.max(0, remaining);
  return { limit, size: Math.max(1, Math.min(most, free)) };
}

/** The window after a 429: what is in flight now is as much as fits; half of it when nothing more is known. */
export function windowAfterRejection(
  window: Window,
  told: ConcurrencyMeta,
  inFlight: number,
): Window {
  const { limit = window.limit } = told;
  const fits = told.limit === undefined ? Math.min(window.size, inFlight + 1) / 2 : inFlight;
  return { limit, size: Math.max(1, Math.min(limit ?? Infinity, Math.floor(fits))) };
}

/** Gives a slot back; only the first call counts. */
export type Release = () => void;

interface Waiter {
  readonly cap: number;
  readonly enter: (release: Release) => void;
}

/**
 * Keeps the requests in flight under the account's concurrency limit: first come, first served, and what does not fit
 * waits here instead of collecting 429s. Specification: Limits.
 */
export class ConcurrencyLimiter {
  readonly #clock: Clock;
  readonly #queue = new Set<Waiter>();
  /** Requests that were refused a slot by the service: they were first before, so they are first again. */
  readonly #returned = new Set<Waiter>();
  #window: Window = initialWindow;
  #told: ConcurrencyMeta = {};
  #inFlight = 0;
  /** Nobody is let in before this time. */
  #opens = 0;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What it knows and does; a live view. */
  view(): ConcurrencyState {
    return liveView<ConcurrencyState>({
      limit: () => this.#told.limit,
      remaining: () => this.#told.remaining,
      source: () => this.#told.source,
      inFlight: () => this.#inFlight,
      queued: () => this.#queue.size + this.#returned.size,
    });
  }

  /** Takes a slot if one is free and nobody waits for it. `cap` is the caller's own limit. */
  take(cap: number): Release | undefined {
    return this.#queue.size + this.#returned.size === 0 && this.#fits(cap)
      ? this.#grant()
      : undefined;
  }

  /** Waits for a slot until the signal aborts; `again` goes before everybody who has not been refused. */
  wait(cap: number, signal: AbortSignal, again: boolean): Promise<Release> {
    const queue = again ? this.#returned : this.#queue;
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

  /** Learns from an answer. */
  told(told: ConcurrencyMeta): void {
    this.#window = windowAfterSuccess(this.#window, told, this.#inFlight);
    this.#remember(told);
  }

  /** Learns from a 429, and lets nobody in for `ms`. */
  refused(told: ConcurrencyMeta, ms: number): void {
    this.#window = windowAfterRejection(this.#window, told, this.#inFlight - 1);
    this.#opens = Math.max(this.#opens, this.#clock.now() + ms);
    this.#remember(told);
  }

  #remember(told: ConcurrencyMeta): void {
    if (told.limit !== undefined || told.remaining !== undefined) this.#told = told;
    this.#admit();
  }

  #fits(cap: number): boolean {
    return this.#closedFor() <= 0 && this.#inFlight < Math.min(this.#window.size, cap);
  }

  #closedFor(): number {
    return this.#opens === 0 ? 0 : this.#opens - this.#clock.now();
  }

  /** Lets in who waits, as far as there is room; while nobody may come in, a timer runs. */
  #admit(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const queue of [this.#returned, this.#queue]) {
      for (const waiter of queue) {
        if (!this.#fits(waiter.cap)) {
          const ms = this.#closedFor();
          if (ms > 0) this.#stopTimer = startTimer(this.#clock, ms, () => this.#admit());
          return;
        }
        queue.delete(waiter);
        waiter.enter(this.#grant());
      }
    }
  }

  #grant(): Release {
    this.#inFlight += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#inFlight -= 1;
      this.#admit();
    };
  }
}
