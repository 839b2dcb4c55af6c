import { Agenda } from './agenda.ts';
import { whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/** Polls of one client that are under way at once; each of them needs a socket. */
const maxConcurrentPolls = 64;

/** Gives a turn back. */
type ReleasePoll = () => void;

/**
 * Every wait of a client: one timer for all of them, and only so many polls at once, so that ten thousand waiting tasks
 * cost little.
 */
export class PollLimiter {
  readonly #agenda: Agenda;
  /** Waits whose time has come while every turn was taken, in the order of their coming. */
  readonly #ready = new Set<() => void>();
  #free = maxConcurrentPolls;

  constructor(clock: Clock) {
    this.#agenda = new Agenda(clock);
  }

  /**
   * Resolves in `ms`, as soon as there is a turn, or in `left` when there was none until then: the time is up, and the
   * turn that it gives back is nobody's. Rejects when the signal aborts.
   */
  acquire(ms: number, left: number, signal: AbortSignal | undefined): Promise<ReleasePoll> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        settle();
        this.#free -= 1;
        resolve(() => {
          this.#free += 1;
          const [next] = this.#ready;
          next?.();
        });
      };
      const due = () => {
        if (this.#free > 0) return enter();
        this.#ready.add(enter);
        cancel = this.#agenda.add(left - ms, () => {
          settle();
          resolve(() => undefined);
        });
      };
      const settle = () => {
        cancel();
        this.#ready.delete(enter);
        stopListening();
      };
      let cancel = () => {};
      const stopListening = whenAborted(signal, (reason) => {
        settle();
        reject(reason);
      });
      if (ms > 0) cancel = this.#agenda.add(ms, due);
      else due();
    });
  }
}
