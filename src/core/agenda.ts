import { after } from './clock.ts';
import type { Clock } from './clock.ts';

/** Something to be done at a time. */
interface Entry {
  readonly at: number;
  /** Taken away when it is cancelled. */
  fire: (() => void) | undefined;
}

/** Any number of things to be done at their times, with one timer for all of them. */
export class Agenda {
  readonly #clock: Clock;
  /** The next one first. */
  readonly #entries: Entry[] = [];
  #armed: Entry | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `fire` in `ms` unless the returned function is called before. */
  add(ms: number, fire: () => void): () => void {
    const entry: Entry = { at: this.#clock.now() + ms, fire };
    this.#entries.splice(placeOf(entry.at, this.#entries), 0, entry);
    this.#arm();
    return () => {
      entry.fire = undefined;
      this.#arm();
    };
  }

  /** Sets the timer for the first entry that still counts; no entry, no timer. */
  #arm(): void {
    while (this.#entries[0] !== undefined && this.#entries[0].fire === undefined) {
      this.#entries.shift();
    }
    const [first] = this.#entries;
    if (first === this.#armed) return;
    this.#stop?.();
    this.#armed = first;
    this.#stop =
      first && after(this.#clock, Math.max(0, first.at - this.#clock.now()), () => this.#fire());
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.now();
    for (
      let [first] = this.#entries;
      first !== undefined && first.at <= now;
      [first] = this.#entries
    ) {
      this.#entries.shift();
      first.fire?.();
    }
    this.#arm();
  }
}

/** Where in a list a time belongs: behind all that are not later. The list is halved, for it may be long. */
function placeOf(time: number, entries: readonly Entry[]): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const { at } = entries[middle] ?? { at: time };
    if (at <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}
