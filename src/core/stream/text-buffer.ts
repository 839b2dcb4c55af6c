/** Number of characters that are buffered before they are joined. */
const joinThreshold = 16_384;

/**
 * A text that grows in small fragments and may never be read. Fragments are joined in batches, because a string built
 * with `+=` keeps every fragment alive until it is read, which means more work for the garbage collector.
 */
export class TextBuffer {
  #joined = '';
  #fragments: string[] = [];
  #length = 0;

  add(fragment: string): void {
    this.#fragments.push(fragment);
    this.#length += fragment.length;
    if (this.#length >= joinThreshold) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#fragments.join('');
    this.#fragments = [];
    this.#length = 0;
  }
}
