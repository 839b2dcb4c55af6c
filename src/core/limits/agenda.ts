import { startTimer } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/** Something to be done at a time; a node of a pairing heap, whose children all come later. */
interface Entry {
  readonly at: number;
  /** Taken away when it is done or cancelled. */
  fire: (() => void) | undefined;
  child?: Entry | undefined;
  next?: Entry | undefined;
}

/** Any number of things to be done at their times, with one timer for all of them. */
export class Agenda {
  readonly #clock: Clock;
  #first: Entry | undefined;
  #armed: Entry | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `fire` in `ms` unless the returned function is called before. */
  add(ms: number, fire: () => void): () => void {
    const entry: Entry = { at: this.#clock.now() + ms, fire };
    this.#first = meld(this.#first, entry);
    this.#arm();
    return () => {
      entry.fire = undefined;
      this.#arm();
    };
  }

  /** Sets the timer for the first entry that still counts; no entry, no timer. */
  #arm(): void {
    while (this.#first !== undefined && this.#first.fire === undefined) {
      this.#first = withoutRoot(this.#first);
    }
    const first = this.#first;
    if (first === this.#armed) return;
    this.#stop?.();
    this.#armed = first;
    this.#stop =
      first &&
      startTimer(this.#clock, Math.max(0, first.at - this.#clock.now()), () => this.#fire());
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.now();
    for (let first = this.#first; first !== undefined && first.at <= now; first = this.#first) {
      this.#first = withoutRoot(first);
      first.fire?.();
    }
    this.#arm();
  }
}

/** The earlier of two heaps, with the other below it. */
function meld(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, later] = one.at <= other.at ? [one, other] : [other, one];
  later.next = first.child;
  first.child = later;
  return first;
}

/** What is left of a heap without its first entry: its children in pairs, then all of them from the right. */
function withoutRoot({ child }: Entry): Entry | undefined {
  const pairs: (Entry | undefined)[] = [];
  for (let one = child; one !== undefined;) {
    const other = one.next;
    const rest: Entry | undefined = other?.next;
    one.next = undefined;
    if (other !== undefined) other.next = undefined;
    pairs.push(meld(one, other));
    one = rest;
  }
  return pairs.reduceRight(meld, undefined);
}
