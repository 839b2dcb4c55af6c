/** A pending sleep of a virtual clock. */
export interface PendingSleep {
  /** When the sleep ends, in clock milliseconds. */
  readonly at: number;
  /** Breaks ties between sleeps that end at the same time. */
  readonly order: number;
  /** Ends the sleep; undefined if it was aborted. */
  wake: (() => void) | undefined;
}

/** A min-heap of pending sleeps, ordered by due time, then by insertion order. */
export class SleepQueue {
  #heap: PendingSleep[] = [];
  #removed = 0;

  add(sleep: PendingSleep): void {
    this.#heap.push(sleep);
    this.#siftUp(this.#heap.length - 1);
  }

  /** Removes a sleep. Removed sleeps leave the heap in batches, which keeps removal cheap. */
  remove(sleep: PendingSleep): void {
    sleep.wake = undefined;
    this.#removed += 1;
    if (this.#removed < 64 || this.#removed * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter((entry) => entry.wake !== undefined).toSorted(compare);
    this.#removed = 0;
  }

  /** Returns the earliest sleep without removing it. */
  peek(): PendingSleep | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.wake !== undefined) return first;
      this.#shift();
      this.#removed -= 1;
    }
  }

  /** Removes and returns the earliest sleep. */
  take(): PendingSleep | undefined {
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

function compare(first: PendingSleep, second: PendingSleep): number {
  return first.at - second.at || first.order - second.order;
}
