import type { ConcurrencyMeta } from '../../schemas/meta.ts';
import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { initialWindow, windowAfterRejection, windowAfterSuccess } from './concurrency-window.ts';
import type { ConcurrencyWindow } from './concurrency-window.ts';
import { liveView } from './live-view.ts';

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

  /** Whether the client's cap allows another request. */
  get hasRoom(): boolean {
    return this.inFlight < this.cap;
  }
}

/** Number that moves rejected requests ahead of all others and keeps their order. */
const rejectedFirst = 2 ** 52;

/**
 * Keeps requests in flight at or below the account's concurrency limit. Requests without a slot wait here, first come,
 * first served, instead of being rejected with a 429. Requests of a client that is at its cap are skipped.
 * Specification: Limits.
 */
export class ConcurrencyLimiter {
  readonly #clock: Clock;
  /**
   * The clients that may send now, by the order of their first waiter. A client at its cap is not listed, so that its
   * waiters cost nothing when other requests are admitted.
   */
  readonly #ready: ClientSlots[] = [];
  #window: ConcurrencyWindow = initialWindow;
  #reported: ConcurrencyMeta = {};
  #inFlight = 0;
  #queued = 0;
  #lastOrder = 0;
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
      queued: () => this.#queued,
    });
  }

  /** Takes a slot if one is free and no request that could use it is waiting. */
  tryAcquire(client: ClientSlots): ReleaseSlot | undefined {
    return this.#ready.length === 0 && client.hasRoom && this.#hasRoom()
      ? this.#grant(client)
      : undefined;
  }

  /** Waits for a slot until the signal aborts. Requests that the service rejected go first. */
  acquire(client: ClientSlots, signal: AbortSignal, wasRejected: boolean): Promise<ReleaseSlot> {
    const queue = wasRejected ? client.rejectedQueue : client.queue;
    this.#lastOrder += 1;
    const order = this.#lastOrder - (wasRejected ? rejectedFirst : 0);
    return new Promise((resolve, reject) => {
      const leave = () => {
        stopListening();
        queue.delete(waiter);
        this.#queued -= 1;
      };
      const stopListening = whenAborted(signal, (reason) => {
        leave();
        this.#admitFrom(client);
        reject(reason);
      });
      const waiter: Waiter = {
        order,
        enter: () => {
          leave();
          resolve(this.#grant(client));
        },
      };
      queue.add(waiter);
      this.#queued += 1;
      this.#admitFrom(client);
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

  #hasRoom(): boolean {
    return this.#remainingPauseMs() <= 0 && this.#inFlight < this.#window.size;
  }

  #remainingPauseMs(): number {
    return this.#pausedUntil - this.#clock.now();
  }

  /** Admits waiting requests after the queue or the slots of this client have changed. */
  #admitFrom(client: ClientSlots): void {
    this.#updateNext(client);
    this.#admit();
  }

  /** Admits waiting requests while there is room. During a pause, sets a timer that admits them when it ends. */
  #admit(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (;;) {
      const [client] = this.#ready;
      if (client?.next === undefined) return;
      if (!this.#hasRoom()) {
        const ms = this.#remainingPauseMs();
        if (ms > 0) this.#stopTimer = startTimer(this.#clock, ms, () => this.#admit());
        return;
      }
      client.next.enter();
      this.#updateNext(client);
    }
  }

  /** Moves a client to the position of its first waiter, or off the list if none may be admitted. */
  #updateNext(client: ClientSlots): void {
    const { hasRoom, queue, rejectedQueue } = client;
    const [first] = rejectedQueue.size > 0 ? rejectedQueue : queue;
    const next = hasRoom ? first : undefined;
    if (next === client.next) return;
    if (client.next !== undefined) this.#ready.splice(this.#ready.indexOf(client), 1);
    client.next = next;
    if (next === undefined) return;
    // Mostly the last position, because most waiters are new.
    const before = this.#ready.findLastIndex((other) => (other.next?.order ?? 0) < next.order);
    this.#ready.splice(before + 1, 0, client);
  }

  #grant(client: ClientSlots): ReleaseSlot {
    this.#inFlight += 1;
    client.inFlight += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inFlight -= 1;
      client.inFlight -= 1;
      this.#admitFrom(client);
    };
  }
}
