import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';

import { decodePng, encodePng, reduce } from '../../../src/tools/mcp/png.ts';
import { createPreview, imageTypeOf } from '../../../src/tools/mcp/results.ts';

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
  const file = await noise(700, 300, 3).png().toBuffer();
  const preview = (await createPreview(fileOf(file), 60_000, noSharp))!;
  expect(preview.mimeType).toBe('image/png');
  const bytes = Buffer.from(preview.data, 'base64');
  expect(bytes.length).toBeLessThanOrEqual(60_000);
  const { width, height } = await sharp(bytes).metadata();
  expect(width / height).toBeCloseTo(7 / 3, 1);
});

test('a large image of another format has a preview only with sharp', async () => {
  const path = fileOf(await noise(700, 300, 3).jpeg({ quality: 100 }).toBuffer());
  expect(await createPreview(path, 60_000, noSharp)).toBeUndefined();
  const preview = (await createPreview(path, 60_000))!;
  expect(preview.mimeType).toBe('image/webp');
  expect(Buffer.from(preview.data, 'base64').length).toBeLessThanOrEqual(60_000);
});

test('a small image is its own preview, by its first bytes', async () => {
  const file = await noise(4, 4, 3).jpeg().toBuffer();
  expect(await createPreview(fileOf(file), 60_000, noSharp)).toEqual({
    mimeType: 'image/jpeg',
    data: file.toString('base64'),
  });
  expect(imageTypeOf(await noise(4, 4, 3).webp().toBuffer())).toBe('image/webp');
  expect(imageTypeOf(await noise(4, 4, 3).gif().toBuffer())).toBe('image/gif');
  expect(imageTypeOf(Buffer.from('<svg/>'))).toBeUndefined();
});

test.each([
  ['is damaged', (file: Buffer) => file.subarray(0, 200)],
  [
    'claims to be larger than it is',
    (file: Buffer) => {
      file.writeUInt32BE(20_000, 16);
      return file;
    },
  ],
  [
    'claims to be larger than memory',
    (file: Buffer) => {
      file.writeUInt32BE(0xff_ff_ff_ff, 16);
      return file;
    },
  ],
])('a PNG that %s has no preview', async (_, change) => {
  const file = change(await noise(40, 40, 3).png().toBuffer());
  expect(await createPreview(fileOf(file), 100, noSharp)).toBeUndefined();
});

test('a PNG of a million empty parts has a preview in time', async () => {
  const file = await noise(40, 40, 3).png().toBuffer();
  const part = Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1');
  const end = file.length - 12;
  const parts = [file.subarray(0, end), Buffer.alloc(12_000_000, part), file.subarray(end)];
  const preview = await createPreview(fileOf(Buffer.concat(parts)), 20_000, noSharp);
  expect(preview?.mimeType).toBe('image/png');
});

test('a PNG without columns has no preview, however many lines it has', () => {
  const header = encodePng({ width: 0, height: 100_000, data: new Uint8Array() });
  expect(decodePng(header)).toBeUndefined();
});

test('a file that is gone has no preview', async () => {
  expect(await createPreview(join(folder, 'gone.png'), 60_000)).toBeUndefined();
});
