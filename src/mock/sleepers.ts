/** A pending sleep of a virtual clock. */
export interface Sleeper {
  /** When it ends, in clock milliseconds. */
  readonly at: number;
  /** Breaks ties between sleeps that end at the same time. */
  readonly order: number;
  /** Ends the sleep; undefined once it was aborted. */
  wake: (() => void) | undefined;
}

/** A min-heap of sleepers, ordered by the time and then by the order in which they were added. */
export class Sleepers {
  #heap: Sleeper[] = [];
  #removed = 0;

  /** Number of sleepers that are still waiting. */
  get size(): number {
    return this.#heap.length - this.#removed;
  }

  add(sleeper: Sleeper): void {
    this.#heap.push(sleeper);
    this.#siftUp(this.#heap.length - 1);
  }

  /** Removes a sleeper. Removed sleepers leave the heap in batches, which keeps removal cheap. */
  remove(sleeper: Sleeper): void {
    sleeper.wake = undefined;
    this.#removed += 1;
    if (this.#removed < 64 || this.#removed * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter((entry) => entry.wake !== undefined).toSorted(compare);
    this.#removed = 0;
  }

  /** Returns the earliest sleeper without removing it. */
  peek(): Sleeper | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.wake !== undefined) return first;
      this.#shift();
      this.#removed -= 1;
    }
  }

  /** Removes and returns the earliest sleeper. */
  take(): Sleeper | undefined {
    const first = this.peek();
    if (first !== undefined) this.#shift();
    return first;
  }

  #shift(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#siftDown(0);
  }

  #siftUp(index: number): void {
    const entry = this.#heap[index];
    const parentIndex = (index - 1) >> 1;
    const parent = this.#heap[parentIndex];
    if (index === 0 || entry === undefined || parent === undefined) return;
    if (compare(parent, entry) <= 0) return;
    this.#heap[index] = parent;
    this.#heap[parentIndex] = entry;
    this.#siftUp(parentIndex);
  }

  #siftDown(index: number): void {
    const entry = this.#heap[index];
    const left = this.#heap[index * 2 + 1];
    if (entry === undefined || left === undefined) return;
    const right = this.#heap[index * 2 + 2];
    const child = right !== undefined && compare(right, left) < 0 ? right : left;
    const childIndex = child === left ? index * 2 + 1 : index * 2 + 2;
    if (compare(entry, child) <= 0) return;
    this.#heap[index] = child;
    this.#heap[childIndex] = entry;
    this.#siftDown(childIndex);
  }
}

function compare(first: Sleeper, second: Sleeper): number {
  return first.at - second.at || first.order - second.order;
}
