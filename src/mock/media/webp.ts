import type { Picture } from './picture.ts';

/** Symbols of the code for colors and run lengths: 256 values of a channel, then 24 lengths. */
const greenSymbols = 280;

/** Number of colors from which on each pixel is stored as one value. */
const minColors = 17;

/** Longest run of one color. */
const maxRun = 4096;

/** The order in which a WebP file lists the lengths of the codes for code lengths. */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9];

/** Encodes a picture as a lossless WebP: a palette, and runs of equal pixels. */
export function encodeWebp({ width, height, palette, pixels }: Picture): Uint8Array<ArrayBuffer> {
  const bits = new BitWriter();
  // With fewer colors, a file has to store several pixels in one.
  const unused = Array.from({ length: Math.max(0, minColors - palette.length) }, () => [0, 0, 0]);
  const colors = [...palette, ...unused];
  bits.write(0x2f, 8);
  bits.write(width - 1, 14);
  bits.write(height - 1, 14);
  // No transparency, version 0.
  bits.write(0, 4);
  // The pixels are indices into a palette, which is an image of one row without a cache of colors.
  bits.write(1, 1);
  bits.write(3, 2);
  bits.write(colors.length - 1, 8);
  bits.write(0, 1);
  const green = writeCode(bits, greenSymbols);
  const red = writeCode(bits, 256);
  const blue = writeCode(bits, 256);
  // The code for transparency has two symbols, 0 and 255. The first color is opaque, and so is each that does not differ.
  bits.write(0b011, 3);
  bits.write(0, 1);
  bits.write(255, 8);
  // No runs.
  writeOnlySymbol(bits, 0);
  // Colors are stored as differences from the previous one.
  let previous = [0, 0, 0];
  for (const [position, color] of colors.entries()) {
    const [r = 0, g = 0, b = 0] = color.map(
      (value, index) => (value - (previous[index] ?? 0)) & 0xff,
    );
    green(g);
    red(r);
    blue(b);
    bits.write(position === 0 ? 1 : 0, 1);
    previous = [...color];
  }
  // No more transforms, no cache, one set of codes for the whole image.
  bits.write(0, 3);
  const index = writeCode(bits, greenSymbols);
  for (let channel = 0; channel < 3; channel += 1) writeOnlySymbol(bits, 0);
  // The distance of every run: the pixel to the left.
  writeOnlySymbol(bits, 1);
  for (let start = 0; start < pixels.length;) {
    const color = pixels[start] ?? 0;
    index(color);
    start += 1;
    let length = 0;
    while (length < maxRun && pixels[start + length] === color) length += 1;
    if (length > 0) writeLength(bits, length, index);
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
function writeOnlySymbol(bits: BitWriter, symbol: 0 | 1): void {
  bits.write(0b001, 3);
  bits.write(symbol, 1);
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
