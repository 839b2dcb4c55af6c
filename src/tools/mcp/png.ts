import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** An image with four bytes per pixel: red, green, blue and opacity. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Number of values per pixel, by color type. */
export const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Larger images take too much memory, and too long: no other call can run meanwhile. */
const maxPixels = 17_000_000;

/** Whether a file is a PNG. */
export const isPng = (file: Buffer): boolean => file.subarray(0, 8).equals(signature);

/** Decodes a PNG with 8 bits per value that is not interlaced; undefined for any other, and for damaged ones. */
export function decodePng(file: Buffer): Pixels | undefined {
  if (!isPng(file)) return undefined;
  try {
    return decode(file);
  } catch {
    return undefined;
  }
}

function decode(file: Buffer): Pixels | undefined {
  const chunks = readChunks(file);
  const header = chunks.get('IHDR')?.[0];
  if (header === undefined) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, color = -1, , , interlaced] = header.subarray(8);
  const count = channels[color];
  const isSupported = depth === 8 && interlaced === 0 && width * height <= maxPixels;
  // Without pixels, the lines of an image can still fill the memory.
  if (count === undefined || !isSupported || width * height === 0) return undefined;
  const size = (width * count + 1) * height;
  const bytes = inflateSync(Buffer.concat(chunks.get('IDAT') ?? []), { maxOutputLength: size });
  if (bytes.length !== size) return undefined;
  const values = unfilter(bytes, width * count, count);
  const colors = { palette: chunks.get('PLTE')?.[0], opacity: chunks.get('tRNS')?.[0] };
  const data = color === 3 ? withPalette(values, colors) : toRgba(values, count);
  return { width, height, data };
}

function withPalette(
  values: Uint8Array,
  { palette, opacity }: { palette: Buffer | undefined; opacity: Buffer | undefined },
): Uint8Array {
  const data = new Uint8Array(values.length * 4);
  for (let pixel = 0; pixel < values.length; pixel += 1) {
    const entry = values[pixel] ?? 0;
    for (let part = 0; part < 3; part += 1)
      data[pixel * 4 + part] = palette?.[entry * 3 + part] ?? 0;
    data[pixel * 4 + 3] = opacity?.[entry] ?? 255;
  }
  return data;
}

/** Expands grey to colors, and adds the opacity if there is none. */
function toRgba(values: Uint8Array, count: number): Uint8Array {
  const data = new Uint8Array((values.length / count) * 4);
  const isGrey = count < 3;
  const hasOpacity = count % 2 === 0;
  for (let at = 0, from = 0; at < data.length; at += 4, from += count) {
    data[at] = values[from] ?? 0;
    data[at + 1] = values[isGrey ? from : from + 1] ?? 0;
    data[at + 2] = values[isGrey ? from : from + 2] ?? 0;
    data[at + 3] = hasOpacity ? (values[from + count - 1] ?? 0) : 255;
  }
  return data;
}

/** The contents of all chunks by type. */
function readChunks(file: Buffer): Map<string, Buffer[]> {
  const chunks = new Map<string, Buffer[]>();
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + length);
    const others = chunks.get(type);
    if (others === undefined) chunks.set(type, [content]);
    else others.push(content);
    at += length + 12;
  }
  return chunks;
}

/** Undoes the filter of each line, which stores differences to neighboring values. PNG specification, 9.2. */
function unfilter(bytes: Buffer, lineLength: number, step: number): Uint8Array {
  const lines = bytes.length / (lineLength + 1);
  const values = new Uint8Array(lines * lineLength);
  for (let line = 0; line < lines; line += 1) {
    const filter = bytes[line * (lineLength + 1)];
    for (let column = 0; column < lineLength; column += 1) {
      const at = line * lineLength + column;
      const left = column < step ? 0 : (values[at - step] ?? 0);
      const above = line === 0 ? 0 : (values[at - lineLength] ?? 0);
      const corner = line === 0 || column < step ? 0 : (values[at - lineLength - step] ?? 0);
      const value = bytes[at + line + 1] ?? 0;
      values[at] = value + predict(filter, left, above, corner);
    }
  }
  return values;
}

function predict(filter: number | undefined, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return Math.floor((left + above) / 2);
    case 4: {
      const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
      const toCorner = Math.abs(left + above - 2 * corner);
      if (toLeft <= toAbove && toLeft <= toCorner) return left;
      return toAbove <= toCorner ? above : corner;
    }
    default:
      return 0;
  }
}

/** Reduces an image to at most `size` pixels in width and height; each pixel is the mean of those it replaces. */
export function reduce({ width, height, data }: Pixels, size: number): Pixels {
  const factor = Math.max(1, width / size, height / size);
  const small = {
    width: Math.max(1, Math.floor(width / factor)),
    height: Math.max(1, Math.floor(height / factor)),
  };
  const result = new Uint8Array(small.width * small.height * 4);
  for (let y = 0; y < small.height; y += 1) {
    const top = Math.floor((y * height) / small.height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / small.height));
    for (let x = 0; x < small.width; x += 1) {
      const left = Math.floor((x * width) / small.width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * width) / small.width));
      const sums = [0, 0, 0, 0];
      for (let row = top; row < bottom; row += 1) {
        for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 1) {
          sums[at % 4] = (sums[at % 4] ?? 0) + (data[at] ?? 0);
        }
      }
      const count = (bottom - top) * (right - left);
      result.set(
        sums.map((sum) => Math.round(sum / count)),
        (y * small.width + x) * 4,
      );
    }
  }
  return { ...small, data: result };
}

/** Encodes an image as PNG. */
export function encodePng({ width, height, data }: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const lines = Buffer.alloc((width * 4 + 1) * height);
  for (let line = 0; line < height; line += 1) {
    const start = line * (width * 4 + 1);
    lines[start] = 1;
    for (let at = 0; at < width * 4; at += 1) {
      const value = data[line * width * 4 + at] ?? 0;
      lines[start + 1 + at] = value - (at < 4 ? 0 : (data[line * width * 4 + at - 4] ?? 0));
    }
  }
  const body = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(content.length, 0);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}
