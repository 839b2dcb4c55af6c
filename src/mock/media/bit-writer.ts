/** Writes bit fields of any width, as in an H.264 bitstream. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #bitCount = 0;

  /** Writes an unsigned number in `width` bits. */
  bits(value: number, width: number): this {
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      this.#current = (this.#current << 1) | ((value >>> bit) & 1);
      this.#bitCount += 1;
      if (this.#bitCount === 8) this.#flush();
    }
    return this;
  }

  /** Writes an unsigned Exp-Golomb number, `ue(v)`. */
  unsigned(value: number): this {
    const width = 32 - Math.clz32(value + 1);
    return this.bits(0, width - 1).bits(value + 1, width);
  }

  /** Writes zero bits up to the next byte boundary. */
  align(): this {
    while (this.#bitCount > 0) this.bits(0, 1);
    return this;
  }

  /** Writes bytes. The writer must be aligned. */
  bytes(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** Writes the stop bit and returns the bytes. */
  finish(): number[] {
    this.bits(1, 1).align();
    return this.#bytes;
  }

  #flush(): void {
    this.#bytes.push(this.#current);
    this.#current = 0;
    this.#bitCount = 0;
  }
}
