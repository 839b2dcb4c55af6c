import type { ConcurrencyMeta } from '../../wire/types/meta.ts';
import { monotonicNow, startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { runWithTimeLimit } from './time-limit.ts';
import type { TimeLimit } from './time-limit.ts';

/** The account's concurrency as far as this client knows: a live view. */
export interface ConcurrencyState extends ConcurrencyMeta {
  /** Requests that hold a slot, of all clients that share state through `withOptions`. */
  readonly inFlight: number;
  /** Requests that are waiting for a slot, of the same clients. */
  readonly queued: number;
}

/** Releases a slot. Only the first call has an effect. */
export type ReleaseSlot = () => void;

interface Waiter {
  /** Position in the queue: the lowest comes first. */
  readonly order: number;
  readonly enter: () => void;
}

/** The slots that one client holds, and its requests that wait for one. */
export class ClientSlots {
  /** Maximum number of slots that the client may hold: its `concurrency` option. */
  readonly cap: number;
  inFlight = 0;
  readonly queue = new Set<Waiter>();
  /** Requests that the service rejected. They had reached the front of the queue before, so they go first. */
  readonly rejectedQueue = new Set<Waiter>();
  /** The waiter that represents the client in the account's queue; undefined while the client is at its cap. */
  next: Waiter | undefined;

  constructor(concurrency: 'auto' | number | false) {
    this.cap = typeof concurrency === 'number' ? concurrency : Infinity;
  }
}

/** Number that moves rejected requests ahead of all others and keeps their order. */
const rejectedFirst = 2 ** 52;

/**
 * Keeps requests in flight at or below the account's concurrency limit. Requests without a slot wait here, first come,
 * first served, instead of being rejected with a 429. Requests of a client that is at its cap are skipped.
 * Specification: Limits.
 */
export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

/** Creates the limiter of one account. `window` is how many requests may be in flight before the first response. */
export function createConcurrencyLimiter(clock: Clock, window = initialWindow) {
  /**
   * The next waiter of each client that may send now, in order. A client at its cap is not listed, so that its waiters
   * cost nothing when other requests are admitted.
   */
  const ready: Waiter[] = [];
  let lastOrder = 0;
  /** No request is admitted before this monotonic time. */
  let pausedUntil = -Infinity;
  let stopTimer: (() => void) | undefined;

  /** The live view behind `gateway.concurrency`. */
  const view = { inFlight: 0, queued: 0 } satisfies ConcurrencyState;

  const remainingPauseMs = () => pausedUntil - monotonicNow(clock);

  const hasRoom = () => remainingPauseMs() <= 0 && view.inFlight < window.size;

  function update(reported: ConcurrencyMeta): void {
    if (reported.limit !== undefined || reported.remaining !== undefined)
      Object.assign(view, reported);
    admit();
  }

  /** Admits waiting requests while there is room. During a pause, sets a timer that admits them when it ends. */
  function admit(): void {
    stopTimer?.();
    while (ready[0] && hasRoom()) ready[0].enter();
    const ms = remainingPauseMs();
    if (ready[0] && ms > 0) stopTimer = startTimer(clock, ms, admit);
  }

  /** Lists the first waiter of a client, if it may be admitted, instead of the one that was listed before. */
  function updateNext(client: ClientSlots): void {
    const { queue, rejectedQueue, next: before } = client;
    const [first] = rejectedQueue.size > 0 ? rejectedQueue : queue;
    const next = client.inFlight < client.cap ? first : undefined;
    if (next === before) return;
    client.next = next;
    if (before) ready.splice(ready.indexOf(before), 1);
    if (!next) return;
    // Mostly the last position, because most waiters are new.
    ready.splice(ready.findLastIndex(({ order }) => order < next.order) + 1, 0, next);
  }

  function grant(client: ClientSlots): ReleaseSlot {
    view.inFlight += 1;
    client.inFlight += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      view.inFlight -= 1;
      client.inFlight -= 1;
      updateNext(client);
      admit();
    };
  }

  return {
    view,

    /**
     * Takes a slot if one is free and no request that could use it is waiting. Otherwise, waits for one within the limit,
     * which is created only then. Requests that the service rejected go first.
     */
    acquire(
      client: ClientSlots,
      wasRejected: boolean,
      limit: () => TimeLimit,
    ): ReleaseSlot | Promise<ReleaseSlot> {
      if (ready.length === 0 && client.inFlight < client.cap && hasRoom()) return grant(client);
      const queue = wasRejected ? client.rejectedQueue : client.queue;
      lastOrder += 1;
      const order = lastOrder - (wasRejected ? rejectedFirst : 0);
      const wait = (signal: AbortSignal) =>
        new Promise<ReleaseSlot>((resolve) => {
          const leave = () => {
            queue.delete(waiter);
            view.queued -= 1;
            updateNext(client);
          };
          let cancel = () => {
            leave();
            admit();
          };
          const waiter: Waiter = {
            order,
            enter: () => {
              // A slot that is granted just before the time is up must be released.
              cancel = grant(client);
              resolve(cancel);
              leave();
            },
          };
          whenAborted(signal, () => cancel());
          queue.add(waiter);
          view.queued += 1;
          updateNext(client);
          admit();
        });
      return runWithTimeLimit(wait, limit());
    },

    /** Updates the window after a request with a slot has succeeded, or a response has reported a limit. */
    recordLimits(reported: ConcurrencyMeta): void {
      window = windowAfterSuccess(window, reported, view.inFlight);
      update(reported);
    },

    /** Updates the window after a 429, and admits no request for `ms`. */
    recordRejection(reported: ConcurrencyMeta, ms: number): void {
      window = windowAfterRejection(window, reported, view.inFlight - 1);
      pausedUntil = Math.max(pausedUntil, monotonicNow(clock) + ms);
      update(reported);
    },
  };
}

/** How many requests may be in flight concurrently. */
interface ConcurrencyWindow {
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
  const { limit, remaining } = reported;
  const grown = window.initial || limit !== undefined ? Infinity : window.size + 1;
  const size = remaining === undefined ? grown : inFlight + Math.max(0, remaining);
  return resize(window, reported, size);
}

/** The window after a 429: what is in flight now. If the response reports no limit, half of that. */
export function windowAfterRejection(
  window: ConcurrencyWindow,
  reported: ConcurrencyMeta,
  inFlight: number,
): ConcurrencyWindow {
  const halved = Math.floor(Math.min(window.size, inFlight + 1) / 2);
  return resize(window, reported, reported.limit === undefined ? halved : inFlight);
}

/** The window with a new size, but at least 1 and at most the last known limit. */
function resize(
  window: ConcurrencyWindow,
  { limit = window.limit }: ConcurrencyMeta,
  size: number,
): ConcurrencyWindow {
  return { limit, size: Math.max(1, Math.min(limit ?? Infinity, size)) };
}

const nothing = () => undefined;

/** The concurrency slot of an attempt. A stream, which continues after the attempt, takes it over. */
export class SlotLease {
  /** Whether a stream has taken it over. */
  isTransferred = false;
  readonly #release: ReleaseSlot;

  /** Without an argument, of an attempt that holds no slot. */
  constructor(release: ReleaseSlot = nothing) {
    this.#release = release;
  }

  /** Leaves the release of the slot to the caller. */
  transfer(): ReleaseSlot {
    this.isTransferred = true;
    return this.#release;
  }

  /** Takes the slot back from a stream that could not be opened, because its attempt has failed. */
  takeBack(): void {
    this.isTransferred = false;
  }

  /** Releases the slot when the attempt ends, unless a stream has taken it over. */
  end(): void {
    if (!this.isTransferred) this.#release();
  }
}
