import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { afterAll, expect, test } from 'vitest';

import { readImageFile } from '../../../src/tools/mcp/image-file.ts';
import { decodePng, encodePng, reduce } from '../../../src/tools/mcp/png.ts';
import { createPreview } from '../../../src/tools/mcp/replies.ts';
import type { Preview } from '../../../src/tools/mcp/replies.ts';

const folder = mkdtempSync(join(tmpdir(), 'polygate-preview-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const noSharp = () => Promise.reject(new Error('not installed'));

/** Noise, which does not compress. */
const noise = (width: number, height: number, count: number) =>
  sharp(randomBytes(width * height * count), {
    raw: { width, height, channels: count === 1 ? 1 : count === 3 ? 3 : 4 },
  });

/** A preview, or why there is none, without sharp. */
const previewOf = (file: Buffer, maxBytes = 60_000) =>
  createPreview(fileOf(file), maxBytes, noSharp);

/** A preview that was made. */
function expectPreview(made: Preview | string): { mimeType: string; bytes: Buffer } {
  if (typeof made === 'string') throw new Error(`No preview: it ${made}`);
  return { mimeType: made.mimeType, bytes: Buffer.from(made.data, 'base64') };
}

function fileOf(content: Buffer): string {
  const path = join(folder, `${content.length}.image`);
  writeFileSync(path, content);
  return path;
}

test.each([
  ['grey', 1, {}],
  ['color', 3, {}],
  ['color with opacity', 4, {}],
  ['a palette', 4, { palette: true }],
])('a PNG with %s has the pixels that another decoder finds', async (_, count, options) => {
  const file = await noise(37, 23, count).png(options).toBuffer();
  const expected = await sharp(file).ensureAlpha().toColorspace('srgb').raw().toBuffer();
  const pixels = decodePng(file)!;
  expect([pixels.width, pixels.height]).toEqual([37, 23]);
  expect(Buffer.from(pixels.data).equals(expected)).toBe(true);
});

test('an encoded PNG is readable by another decoder, and has the same pixels', async () => {
  const data = new Uint8Array(randomBytes(5 * 3 * 4));
  const decoded = await sharp(encodePng({ width: 5, height: 3, data }))
    .raw()
    .toBuffer();
  expect(decoded.equals(Buffer.from(data))).toBe(true);
});

test('a smaller image keeps the ratio, and each pixel is a mean', () => {
  const data = Uint8Array.from([0, 0, 0, 255, 200, 100, 50, 255, 0, 0, 0, 255, 200, 100, 50, 255]);
  const small = reduce({ width: 4, height: 1, data }, 2);
  expect(small).toEqual({
    width: 2,
    height: 1,
    data: Uint8Array.from([100, 50, 25, 255, 100, 50, 25, 255]),
  });
});

test('a large PNG gets a smaller one without sharp', async () => {
  const made = await previewOf(await noise(700, 300, 3).png().toBuffer());
  const { mimeType, bytes } = expectPreview(made);
  expect(mimeType).toBe('image/png');
  expect(bytes.length).toBeLessThanOrEqual(60_000);
  const { width, height } = await sharp(bytes).metadata();
  expect(width / height).toBeCloseTo(7 / 3, 1);
});

test('a large image of another format has a preview only with sharp', async () => {
  const file = await noise(700, 300, 3).jpeg({ quality: 100 }).toBuffer();
  expect(await previewOf(file)).toBe('is too large, or not a complete image');
  const { mimeType, bytes } = expectPreview(await createPreview(fileOf(file), 60_000));
  expect(mimeType).toBe('image/webp');
  expect(bytes.length).toBeLessThanOrEqual(60_000);
});

/** A picture of a few bytes with any number of pixels. */
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } });

test('an image has at most 2,000 pixels a side, however few bytes it has', async () => {
  const limit = await plain(2000, 3).png().toBuffer();
  expect(expectPreview(await previewOf(limit)).bytes.equals(limit)).toBe(true);
  const png = expectPreview(await previewOf(await plain(2001, 2001).png().toBuffer()));
  expect((await sharp(png.bytes).metadata()).width).toBe(512);
  const large = await plain(3, 2001).jpeg().toBuffer();
  expect(await previewOf(large)).toBe('is too large, or not a complete image');
  const jpeg = expectPreview(await createPreview(fileOf(large), 60_000));
  expect((await sharp(jpeg.bytes).metadata()).height).toBe(512);
});

const formats: [string, string, (image: Sharp) => Sharp][] = [
  ['JPEG', 'jpeg', (image) => image.jpeg()],
  ['progressive JPEG', 'jpeg', (image) => image.jpeg({ progressive: true })],
  ['GIF', 'gif', (image) => image.gif()],
  ['WebP', 'webp', (image) => image.webp()],
  ['lossless WebP', 'webp', (image) => image.webp({ lossless: true })],
  ['WebP with opacity', 'webp', (image) => image.ensureAlpha(0.5).webp()],
  ['WebP with metadata', 'webp', (image) => image.withExif({ IFD0: { Copyright: 'x' } }).webp()],
  ['PNG', 'png', (image) => image.png()],
  ['interlaced PNG', 'png', (image) => image.png({ progressive: true })],
  ['PNG with a palette', 'png', (image) => image.png({ palette: true, colors: 4 })],
  ['PNG with 16 bits', 'png', (image) => image.toColourspace('rgb16').png()],
];

test.each(formats)(
  'a small %s is its own preview, and none if it is cut anywhere',
  async (_, type, as) => {
    for (const [width, height] of [
      [37, 23],
      [1, 1],
      [3, 9],
    ] as const) {
      const file = await as(noise(width, height, 3)).toBuffer();
      const mimeType = `image/${type}`;
      expect(readImageFile(file)).toEqual({ mimeType, size: { width, height } });
      expect(expectPreview(await previewOf(file))).toEqual({ mimeType, bytes: file });
      // A JPEG may lack what follows its last pixel.
      for (let length = 12; length < file.length - 1; length += Math.ceil(file.length / 50)) {
        expect(readImageFile(file.subarray(0, length))?.size, `${length}`).toBeUndefined();
      }
    }
  },
);

test.each([
  ['only a signature', (file: Buffer) => file.subarray(0, 8)],
  ['half of its bytes', (file: Buffer) => file.subarray(0, file.length / 2)],
  ['all but its last part', (file: Buffer) => file.subarray(0, -12)],
  ['one wrong byte in its pixels', (file: Buffer) => file.fill(1, 100, 101)],
  ['no pixels', (file: Buffer) => Buffer.concat([file.subarray(0, 33), file.subarray(-12)])],
  ['more pixels in its header than in memory', (file: Buffer) => file.fill(0xff, 16, 20)],
])('a PNG with %s is not a complete image', async (_, change) => {
  const file = change(await noise(40, 40, 3).png().toBuffer());
  expect(await previewOf(file)).toBe('is not a complete image');
  expect(await previewOf(file, 1)).toBe('is not a complete image');
});

test('a PNG that has fewer pixels than its header says is not a complete image', async () => {
  const [large, small] = [40, 30].map((height) =>
    encodePng({ width: 40, height, data: new Uint8Array(40 * height * 4) }),
  );
  const file = Buffer.concat([large!.subarray(0, 33), small!.subarray(33)]);
  expect(await previewOf(file)).toBe('is not a complete image');
});

test('a file of another type has no preview', async () => {
  expect(await previewOf(Buffer.from('<svg/>'))).toBe('is not a PNG, JPEG, GIF or WebP');
  expect(await previewOf(Buffer.from(''))).toBe('is not a PNG, JPEG, GIF or WebP');
});

test('a PNG of a million empty parts has a preview in time', async () => {
  const file = await noise(40, 40, 3).png().toBuffer();
  const part = Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1');
  const end = file.length - 12;
  const parts = [file.subarray(0, end), Buffer.alloc(12_000_000, part), file.subarray(end)];
  const made = await previewOf(Buffer.concat(parts), 20_000);
  expect(expectPreview(made).mimeType).toBe('image/png');
});

test('a PNG without columns has no preview, however many lines it has', () => {
  const header = encodePng({ width: 0, height: 100_000, data: new Uint8Array() });
  expect(decodePng(header)).toBeUndefined();
});

test('a file that is gone has no preview', async () => {
  expect(await createPreview(join(folder, 'gone.png'), 60_000)).toBe('cannot be read');
});
