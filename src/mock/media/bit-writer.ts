/** Writes numbers of any width one after the other, as H.264 wants them. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #filled = 0;

  /** An unsigned number in so many bits. */
  bits(value: number, width: number): this {
    for (let at = width - 1; at >= 0; at -= 1) {
      this.#current = (this.#current << 1) | ((value >>> at) & 1);
      this.#filled += 1;
      if (this.#filled === 8) this.#flush();
    }
    return this;
  }

  /** An unsigned Exp-Golomb number, `ue(v)`. */
  unsigned(value: number): this {
    const width = 32 - Math.clz32(value + 1);
    return this.bits(0, width - 1).bits(value + 1, width);
  }

  /** Zero bits up to the next byte. */
  align(): this {
    while (this.#filled > 0) this.bits(0, 1);
    return this;
  }

  /** Whole bytes; the writer has to be aligned. */
  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** The bytes so far, closed with a stop bit. */
  close(): number[] {
    this.bits(1, 1).align();
    return this.#bytes;
  }

  #flush(): void {
    this.#bytes.push(this.#current);
    this.#current = 0;
    this.#filled = 0;
  }
}
