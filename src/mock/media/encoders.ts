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

/** Side of the blocks that a JPEG consists of, in pixels. */
const side = 8;

/** The order in which a block's frequencies are stored: along its diagonals, from low to high. */
const zigzag = Array.from({ length: side * side }, (_, index) => index).toSorted((a, b) => {
  const [rowA, rowB] = [Math.floor(a / side), Math.floor(b / side)];
  const [sumA, sumB] = [rowA + (a % side), rowB + (b % side)];
  if (sumA !== sumB) return sumA - sumB;
  return sumA % 2 === 0 ? rowB - rowA : rowA - rowB;
});

/** How coarsely each frequency is stored, in the order of {@link zigzag}. */
const steps = zigzag.map((index) => 6 + 4 * (Math.floor(index / side) + (index % side)));

const cosines = Array.from({ length: side }, (_, frequency) =>
  Array.from(
    { length: side },
    (__, x) =>
      Math.cos(((2 * x + 1) * frequency * Math.PI) / (2 * side)) *
      (frequency === 0 ? Math.sqrt(1 / side) : Math.sqrt(2 / side)),
  ),
);

/** The sizes of differences between the averages of blocks. Their codes have 4 bits. */
const averageSymbols = Array.from({ length: 12 }, (_, size) => size);

/** `run * 16 + size` of every frequency that is not 0, the end of a block and a run of 16. Their codes have 8 bits. */
const frequencySymbols = [
  0x00,
  0xf0,
  ...Array.from({ length: 160 }, (_, index) => Math.floor(index / 10) * 16 + (index % 10) + 1),
];

/** Encodes a picture as a baseline JPEG, with one code length per table instead of optimized codes. */
export function encodeJpeg(picture: Picture): Uint8Array<ArrayBuffer> {
  const { width, height } = picture;
  const bytes: number[] = [0xff, 0xd8];
  const segment = (marker: number, content: readonly number[]) => {
    const length = content.length + 2;
    bytes.push(0xff, marker, length >> 8, length & 0xff, ...content);
  };
  segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  segment(0xdb, [0, ...steps]);
  const components = [1, 2, 3];
  segment(0xc0, [
    8,
    height >> 8,
    height & 0xff,
    width >> 8,
    width & 0xff,
    components.length,
    ...components.flatMap((id) => [id, 0x11, 0]),
  ]);
  segment(0xc4, [0, ...codeCounts(4, averageSymbols.length), ...averageSymbols]);
  segment(0xc4, [0x10, ...codeCounts(8, frequencySymbols.length), ...frequencySymbols]);
  segment(0xda, [components.length, ...components.flatMap((id) => [id, 0]), 0, 63, 0]);
  writeBlocks(picture, bytes);
  bytes.push(0xff, 0xd9);
  return Uint8Array.from(bytes);
}

/** The number of codes of each length from 1 to 16 bits. */
function codeCounts(length: number, count: number): number[] {
  return Array.from({ length: 16 }, (_, index) => (index + 1 === length ? count : 0));
}

function writeBlocks({ width, height, palette, pixels }: Picture, bytes: number[]): void {
  const colors = palette.map(([red, green, blue]) => [
    0.299 * red + 0.587 * green + 0.114 * blue - 128,
    -0.168736 * red - 0.331264 * green + 0.5 * blue,
    0.5 * red - 0.418688 * green - 0.081312 * blue,
  ]);
  const frequencyCodes = new Map(frequencySymbols.map((symbol, code) => [symbol, code]));
  const averages = [0, 0, 0];
  let buffer = 0;
  let bits = 0;

  const write = (value: number, count: number) => {
    buffer = (buffer << count) | (value & ((1 << count) - 1));
    bits += count;
    while (bits >= 8) {
      bits -= 8;
      const byte = (buffer >> bits) & 0xff;
      bytes.push(byte);
      if (byte === 0xff) bytes.push(0);
    }
    buffer &= (1 << bits) - 1;
  };
  const sizeOf = (value: number) => 32 - Math.clz32(Math.abs(value));
  const writeValue = (value: number) => write(value < 0 ? value - 1 : value, sizeOf(value));

  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      for (const component of averages.keys()) {
        const block = Array.from({ length: side * side }, (_, index) => {
          const x = Math.min(width - 1, left + (index % side));
          const y = Math.min(height - 1, top + Math.floor(index / side));
          return colors[pixels[y * width + x] ?? 0]?.[component] ?? 0;
        });
        const [average = 0, ...frequencies] = quantize(block);
        const difference = average - (averages[component] ?? 0);
        averages[component] = average;
        write(sizeOf(difference), 4);
        writeValue(difference);
        let run = 0;
        for (const value of frequencies) {
          if (value === 0) {
            run += 1;
            continue;
          }
          for (; run > 15; run -= 16) write(frequencyCodes.get(0xf0) ?? 0, 8);
          write(frequencyCodes.get(run * 16 + sizeOf(value)) ?? 0, 8);
          writeValue(value);
          run = 0;
        }
        if (run > 0) write(frequencyCodes.get(0x00) ?? 0, 8);
      }
    }
  }
  write(0x7f, 7);
}

/** The frequencies of a block, as they are stored. */
function quantize(block: readonly number[]): number[] {
  // Most blocks have one color.
  const [first = 0] = block;
  if (block.every((value) => value === first)) {
    return [Math.round((first * side) / (steps[0] ?? 1)), ...Array.from({ length: 63 }, () => 0)];
  }
  const rows = transform(block);
  const frequencies = transform(rows);
  return zigzag.map((index, position) =>
    Math.round((frequencies[index] ?? 0) / (steps[position] ?? 1)),
  );
}

/** Transforms each row of a block, and returns the rows as columns. Applied twice, it transforms rows and columns. */
function transform(block: readonly number[]): number[] {
  const result = Array.from({ length: side * side }, () => 0);
  for (let row = 0; row < side; row += 1) {
    for (const [frequency, wave] of cosines.entries()) {
      let sum = 0;
      for (let x = 0; x < side; x += 1) sum += (block[row * side + x] ?? 0) * (wave[x] ?? 0);
      result[frequency * side + row] = sum;
    }
  }
  return result;
}
