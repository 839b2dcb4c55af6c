/** Somebody who waits for a virtual instant. */
export interface Sleeper {
  readonly at: number;
  readonly order: number;
  /** Set to undefined once the sleeper was woken or gave up. */
  wake: (() => void) | undefined;
}

/** A heap of sleepers: the earliest first, and in the order of their coming at the same instant. */
export class Sleepers {
  #heap: Sleeper[] = [];
  #gone = 0;

  /** How many still wait. */
  get size(): number {
    return this.#heap.length - this.#gone;
  }

  add(sleeper: Sleeper): void {
    this.#heap.push(sleeper);
    this.#up(this.#heap.length - 1);
  }

  /**
   * Forgets a sleeper that gave up. Sleepers are swept out together, so that giving up stays cheap.
   */
  remove(sleeper: Sleeper): void {
    sleeper.wake = undefined;
    this.#gone += 1;
    if (this.#gone < 64 || this.#gone * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter((entry) => entry.wake !== undefined).toSorted(compare);
    this.#gone = 0;
  }

  /** The earliest one that still waits. */
  peek(): Sleeper | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.wake !== undefined) return first;
      this.#shift();
      this.#gone -= 1;
    }
  }

  /** Takes out the earliest one that still waits. */
  take(): Sleeper | undefined {
    const first = this.peek();
    if (first !== undefined) this.#shift();
    return first;
  }

  #shift(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down(0);
  }

  #up(index: number): void {
    const entry = this.#heap[index];
    const parentIndex = (index - 1) >> 1;
    const parent = this.#heap[parentIndex];
    if (index === 0 || entry === undefined || parent === undefined) return;
    if (compare(parent, entry) <= 0) return;
    this.#heap[index] = parent;
    this.#heap[parentIndex] = entry;
    this.#up(parentIndex);
  }

  #down(index: number): void {
    const entry = this.#heap[index];
    const left = this.#heap[index * 2 + 1];
    if (entry === undefined || left === undefined) return;
    const right = this.#heap[index * 2 + 2];
    const child = right !== undefined && compare(right, left) < 0 ? right : left;
    const childIndex = child === left ? index * 2 + 1 : index * 2 + 2;
    if (compare(entry, child) <= 0) return;
    this.#heap[index] = child;
    this.#heap[childIndex] = entry;
    this.#down(childIndex);
  }
}

function compare(one: Sleeper, other: Sleeper): number {
  return one.at - other.at || one.order - other.order;
}
