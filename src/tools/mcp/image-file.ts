import { crc32, inflateSync } from 'node:zlib';

import { channels, isPng } from './png.ts';

/** Width and height in pixels. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Larger images are not previews, so that their pixels are not checked. */
export const maxPreviewSide = 2000;

/**
 * Reads what the parts of a file say, without decoding it, if it is of a type that models can see; undefined for others. What a
 * service reports about it may be wrong. The size is undefined if the file is damaged or cut off.
 */
export function readImageFile(
  file: Buffer,
): { mimeType: string; size: ImageSize | undefined } | undefined {
  const format = formats.find(({ isStart }) => isStart(file));
  if (format === undefined) return undefined;
  const { mimeType, readSize } = format;
  try {
    const size = readSize(file);
    const isEmpty = size === undefined || size.width === 0 || size.height === 0;
    return { mimeType, size: isEmpty ? undefined : size };
  } catch {
    // Buffers throw after their end.
    return { mimeType, size: undefined };
  }
}

const startsWith = (pattern: RegExp) => (file: Buffer) =>
  pattern.test(file.toString('latin1', 0, 12));

const formats: readonly {
  readonly mimeType: string;
  readonly isStart: (file: Buffer) => boolean;
  /** Returns the size of a complete file. Returns undefined or throws for others. */
  readonly readSize: (file: Buffer) => ImageSize | undefined;
}[] = [
  { mimeType: 'image/png', isStart: isPng, readSize: pngSize },
  { mimeType: 'image/jpeg', isStart: startsWith(/^\u00FF\u00D8\u00FF/), readSize: jpegSize },
  { mimeType: 'image/gif', isStart: startsWith(/^GIF8[79]a/), readSize: gifSize },
  { mimeType: 'image/webp', isStart: startsWith(/^RIFF.{4}WEBP/s), readSize: webpSize },
];

function pngSize(file: Buffer): ImageSize | undefined {
  const data: Buffer[] = [];
  const header = file.subarray(16, 29);
  for (let at = 8, type = ''; type !== 'IEND';) {
    const end = at + 8 + file.readUInt32BE(at);
    type = file.toString('latin1', at + 4, at + 8);
    const checksum = file.readUInt32BE(end);
    // Decoders ignore damage in other parts.
    const isCritical = /^[A-Z]/.test(type);
    if (isCritical && crc32(file.subarray(at + 4, end)) !== checksum) return undefined;
    if (at === 8 && type !== 'IHDR') return undefined;
    if (type === 'IDAT') data.push(file.subarray(at + 8, end));
    at = end + 4;
  }
  const size = { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
  if (Math.max(size.width, size.height) > maxPreviewSide) return size;
  const length = pngLength(size, header);
  const isComplete =
    inflateSync(Buffer.concat(data), { maxOutputLength: length }).length === length;
  return isComplete ? size : undefined;
}

/** First column and line, and distance of columns and lines, of each pass of an interlaced PNG. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The length of all lines of a PNG, each of which starts with its filter. */
function pngLength({ width, height }: ImageSize, header: Buffer): number {
  const [depth = 0, color = 0, , , interlaced] = header.subarray(8);
  const bits = depth * (channels[color] ?? 0);
  let length = 0;
  for (const [left, top, right, down] of interlaced === 1 ? passes : [[0, 0, 1, 1] as const]) {
    const columns = Math.ceil((width - left) / right);
    const lines = Math.ceil((height - top) / down);
    if (columns > 0 && lines > 0) length += (Math.ceil((columns * bits) / 8) + 1) * lines;
  }
  return length;
}

function jpegSize(file: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  let hasPixels = false;
  for (let at = 2; ;) {
    at = file.indexOf(0xff, at) + 1;
    if (at === 0) return undefined;
    const marker = file.readUInt8(at);
    if (marker === 0xd9) return hasPixels ? size : undefined;
    // In the pixels, and between segments: no marker, or one without a length.
    if (marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)) continue;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) size ??= { height: file.readUInt16BE(at + 4), width: file.readUInt16BE(at + 6) };
    if (marker === 0xda) hasPixels = true;
    at += 1 + file.readUInt16BE(at + 1);
  }
}

function gifSize(file: Buffer): ImageSize | undefined {
  /** The position after a table of colors, if there is one. */
  const afterColors = (at: number, flags: number) =>
    flags >= 0x80 ? at + 3 * 2 ** ((flags & 7) + 1) : at;
  let hasPixels = false;
  for (let at = afterColors(13, file.readUInt8(10)); ;) {
    const type = file.readUInt8(at);
    if (type === 0x3b) break;
    if (type === 0x2c) {
      hasPixels = true;
      at = afterColors(at + 10, file.readUInt8(at + 9)) + 1;
    } else at += 2;
    for (let length = -1; length !== 0; at += length + 1) length = file.readUInt8(at);
  }
  const size = { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
  return hasPixels ? size : undefined;
}

function webpSize(file: Buffer): ImageSize | undefined {
  const end = file.readUInt32LE(4) + 8;
  if (end > file.length) return undefined;
  let size: ImageSize | undefined;
  let hasPixels = false;
  for (let at = 12; at < end;) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    if (at + 8 + length > end) return undefined;
    hasPixels ||= ['VP8 ', 'VP8L', 'ANMF'].includes(type);
    size ??= webpSizeIn(type, file.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return hasPixels ? size : undefined;
}

function webpSizeIn(type: string, part: Buffer): ImageSize | undefined {
  if (type === 'VP8X')
    return { width: part.readUIntLE(4, 3) + 1, height: part.readUIntLE(7, 3) + 1 };
  if (type === 'VP8 ') {
    return { width: part.readUInt16LE(6) % 2 ** 14, height: part.readUInt16LE(8) % 2 ** 14 };
  }
  if (type !== 'VP8L') return undefined;
  const bits = part.readUInt32LE(1);
  return { width: (bits % 2 ** 14) + 1, height: (Math.floor(bits / 2 ** 14) % 2 ** 14) + 1 };
}
