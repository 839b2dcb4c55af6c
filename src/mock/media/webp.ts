import type { Picture } from './picture.ts';

/** Symbols of the code for colors and run lengths: 256 values of a channel, then 24 lengths. */
const greenSymbols = 280;

/** Longest run of one color. */
const maxRun = 4096;

/** The order in which a WebP file lists the lengths of the codes for code lengths. */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9];

/** Encodes a picture as a lossless WebP: colors, and runs of equal pixels. */
export function encodeWebp({ width, height, palette, pixels }: Picture): Uint8Array<ArrayBuffer> {
  const bits = new BitWriter();
  bits.write(0x2f, 8);
  bits.write(width - 1, 14);
  bits.write(height - 1, 14);
  // No transparency, version 0.
  bits.write(0, 4);
  // No transforms, no cache of colors, one set of codes for the whole image.
  bits.write(0, 3);
  const green = writeCode(bits, greenSymbols);
  const red = writeCode(bits, 256);
  const blue = writeCode(bits, 256);
  // All pixels are opaque, and the distance of every run is that of the pixel to the left.
  writeOnlySymbol(bits, 255);
  writeOnlySymbol(bits, 1);
  for (let start = 0; start < pixels.length;) {
    const color = pixels[start] ?? 0;
    const [r, g, b] = palette[color] ?? [0, 0, 0];
    green(g);
    red(r);
    blue(b);
    start += 1;
    let length = 0;
    while (length < maxRun && pixels[start + length] === color) length += 1;
    if (length > 0) writeLength(bits, length, green);
    start += length;
  }
  return container(bits.finish());
}

/** Writes the length of a run: its magnitude as a symbol, followed by the remaining bits. */
function writeLength(bits: BitWriter, length: number, symbol: (value: number) => void): void {
  const value = length - 1;
  if (value < 4) return symbol(256 + value);
  const highest = 31 - Math.clz32(value);
  const second = (value >> (highest - 1)) & 1;
  symbol(256 + 2 * highest + second);
  bits.write(value & ((1 << (highest - 1)) - 1), highest - 1);
}

/** Writes a code whose lengths differ by at most one bit. Returns a function that writes a symbol in it. */
function writeCode(bits: BitWriter, count: number): (symbol: number) => void {
  const length = Math.floor(Math.log2(count));
  const shorter = 2 ** (length + 1) - count;
  const lengthOf = (symbol: number) => (symbol < shorter ? length : length + 1);
  bits.write(0, 1);
  bits.write(lengthOrder.length - 4, 4);
  const isUsed = (value: number) => value === length || (value === length + 1 && shorter < count);
  for (const value of lengthOrder) bits.write(isUsed(value) ? 1 : 0, 3);
  bits.write(0, 1);
  // With one length only, its code has no bits.
  if (shorter < count) {
    for (let symbol = 0; symbol < count; symbol += 1) bits.write(lengthOf(symbol) - length, 1);
  }
  return (symbol) => {
    const code = symbol < shorter ? symbol : symbol + shorter;
    for (let bit = lengthOf(symbol) - 1; bit >= 0; bit -= 1) bits.write(code >> bit, 1);
  };
}

/** Writes a code of one symbol, which needs no bits. */
function writeOnlySymbol(bits: BitWriter, symbol: number): void {
  bits.write(0b101, 3);
  bits.write(symbol, 8);
}

/** Puts the data of an image into a file. */
function container(data: readonly number[]): Uint8Array<ArrayBuffer> {
  const padded = data.length + (data.length % 2);
  const bytes = new Uint8Array(20 + padded);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('RIFF    WEBPVP8L'));
  view.setUint32(4, 12 + padded, true);
  view.setUint32(16, data.length, true);
  bytes.set(data, 20);
  return bytes;
}

/** Writes bits, the lowest one first. */
class BitWriter {
  readonly #bytes: number[] = [];
  #buffer = 0;
  #count = 0;

  write(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) {
      this.#buffer |= ((value >> bit) & 1) << this.#count;
      this.#count += 1;
      if (this.#count === 8) this.#flush();
    }
  }

  finish(): readonly number[] {
    if (this.#count > 0) this.#flush();
    return this.#bytes;
  }

  #flush(): void {
    this.#bytes.push(this.#buffer);
    this.#buffer = 0;
    this.#count = 0;
  }
}
