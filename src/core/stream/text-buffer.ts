/** So many characters are gathered before they become one piece. */
const joinedLength = 16_384;

/**
 * A text that grows by small pieces, and that perhaps nobody asks for. Joining them now and then keeps fewer and smaller
 * things alive than `+=`, which holds on to every piece until somebody reads the text: less work for the collector.
 */
export class TextBuffer {
  #joined = '';
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length >= joinedLength) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
  }
}
