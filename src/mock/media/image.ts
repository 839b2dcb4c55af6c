import { zlibSync } from 'fflate/browser';

import { concatenate } from '../http/response.ts';
import { escapeXml } from '../page.ts';
import { hash, seededRandom } from '../random.ts';
import { encodeJpeg, encodeWebp } from './encoders.ts';
import { paint } from './picture.ts';
import type { Picture } from './picture.ts';

/** A file with its content type. */
export interface MediaFile {
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** A file format of images. */
type ImageFormat = 'png' | 'jpeg' | 'webp' | 'svg';

const encoders = { png: encodePng, jpeg: encodeJpeg, webp: encodeWebp };

/** The width of an image divided by its height, unless the request determines it. */
const defaultRatio = 3 / 2;

/** Creates an image file. Each prompt and variant has another one. */
export function imageFile(
  {
    prompt,
    variant,
    footnote,
  }: {
    readonly prompt: string;
    /** Distinguishes images of the same prompt. */
    readonly variant: string;
    /** A line of text below the prompt. Only SVG images contain text. */
    readonly footnote: string;
  },
  format: ImageFormat,
  ratio = defaultRatio,
): MediaFile {
  if (format === 'svg')
    return { type: 'image/svg+xml', body: promptSvg(prompt, variant, footnote) };
  return { type: `image/${format}`, body: encoders[format](paint(`${prompt} ${variant}`, ratio)) };
}

/** The format that an image request specifies: a PNG unless it names another one. SVG replaces every other format. */
export function imageFormatOf(
  { output_format: requested }: Record<string, unknown>,
  defaultFormat: 'png' | 'svg',
): ImageFormat {
  if (defaultFormat === 'svg' || typeof requested !== 'string') return defaultFormat;
  const name = requested.toLowerCase().replace(/^jpg$/, 'jpeg');
  return name === 'jpeg' || name === 'webp' ? name : 'png';
}

/** The width divided by the height that an image request specifies. */
export function imageRatioOf({ size, aspect_ratio }: Record<string, unknown>): number {
  for (const value of [aspect_ratio, size]) {
    const [, width, height] = /^(\d{1,5})[x:](\d{1,5})$/.exec(String(value)) ?? [];
    const ratio = Number(width) / Number(height);
    if (ratio > 0 && Number.isFinite(ratio)) return Math.max(1 / 8, Math.min(8, ratio));
  }
  return defaultRatio;
}

/** Encodes a picture as a PNG with a palette. */
export function encodePng({ width, height, palette, pixels }: Picture): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // 8 bits per pixel, which are an index into the palette.
  header.setUint8(8, 8);
  header.setUint8(9, 3);
  // Each row starts with the number of its filter, 0 for none.
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return concatenate([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('PLTE', Uint8Array.from(palette.flat())),
    chunk('IDAT', zlibSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const imageWidth = 768;
const imageHeight = 512;

/** Draws the prompt on a gradient. The same arguments always produce the same image. */
function promptSvg(prompt: string, variant: string, footnote: string): string {
  const random = seededRandom(`${hash(prompt)}-${variant}`);
  const hue = Math.floor(random() * 360);
  const angle = Math.floor(random() * 90);
  const lines = wrap(prompt.trim().slice(0, 2000) || 'No prompt', 34, 9);
  const top = imageHeight / 2 - (lines.length - 1) * 21;
  const text = lines
    .map((line, index) => `<tspan x="50%" y="${top + index * 42}">${escapeXml(line)}</tspan>`)
    .join('');
  const circles = Array.from({ length: 5 }, () => {
    const x = Math.floor(random() * imageWidth);
    const y = Math.floor(random() * imageHeight);
    const radius = 40 + Math.floor(random() * 140);
    const shade = (hue + Math.floor(random() * 80)) % 360;
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${shade} 80% 70% / 0.28)"/>`;
  }).join('');
  const size = `width="${imageWidth}" height="${imageHeight}"`;
  const centered = 'text-anchor="middle" fill="#fff"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${imageWidth} ${imageHeight}">
<defs><linearGradient id="sky" gradientTransform="rotate(${angle})">
<stop offset="0" stop-color="hsl(${hue} 60% 30%)"/>
<stop offset="1" stop-color="hsl(${(hue + 70) % 360} 65% 42%)"/>
</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#sky)"/>${circles}
<g font-family="Georgia, serif" font-size="32" dominant-baseline="middle">
<text ${centered}>${text}</text></g>
<g font-family="monospace" font-size="14" opacity="0.75">
<text x="50%" y="${imageHeight - 24}" ${centered}>${escapeXml(footnote)}</text></g>
</svg>`;
}

/** Wraps text into at most `maxLines` lines of `width` characters; an ellipsis marks a cut. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((part) => splitWord(part, width))) {
    if (lines.length > maxLines) break;
    const candidate = line === '' ? word : `${line} ${word}`;
    if (Array.from(candidate).length <= width) {
      line = candidate;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1] ?? ''} …`];
}

/** Splits a word that is longer than a line. */
function splitWord(word: string, width: number): string[] {
  const characters = Array.from(word.slice(0, 2000));
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += width) {
    parts.push(characters.slice(start, start + width).join(''));
  }
  return parts;
}
