import sharp from 'sharp';
import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { encodeJpeg, encodeWebp } from '../../../src/mock/media/encoders.ts';
import { encodePng, wrap } from '../../../src/mock/media/image.ts';
import { paint } from '../../../src/mock/media/picture.ts';
import { sampleVideo } from '../../../src/mock/media/samples.ts';
import { escapeXml } from '../../../src/mock/page.ts';
import { callerOf, image, music, speech, video } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 } });
const caller = callerOf(mock);
const filesOf = async (path: string, body: object, pollPath: string): Promise<Response[]> => {
  const { id } = await caller.submit(path, body);
  const { result } = await caller.read(pollPath + id);
  return Promise.all(result.outputs.map((url: string) => mock.fetch(url)));
};

test('an SVG image shows its prompt, and several images differ', async () => {
  const drawing = createMockGateway({
    clock: 'virtual',
    tasks: { durationMs: 0 },
    imageFormat: 'svg',
  });
  const body = { ...image, prompt: 'a fox & a <crow>', n: 2, output_format: 'webp' };
  const { id } = await callerOf(drawing).submit('/v1/images/tasks', body);
  const { result } = await callerOf(drawing).read(`/v1/images/tasks/${id}`);
  const [first, second] = await Promise.all(
    result.outputs.map(async (url: string) => {
      const file = await drawing.fetch(url);
      expect(file.headers.get('content-type')).toBe('image/svg+xml');
      return file.text();
    }),
  );
  expect(first).toContain('a fox &amp; a &lt;crow&gt;');
  expect(first).not.toBe(second);
});

test.each([
  [undefined, undefined, 'png', [480, 320]],
  ['png', '1:1', 'png', [480, 480]],
  ['JPEG', '9:16', 'jpeg', [270, 480]],
  ['jpg', 'auto', 'jpeg', [480, 320]],
  ['webp', '16:9', 'webp', [480, 270]],
  ['tiff', '1:0', 'png', [480, 320]],
])(
  'an image in the format %s with the aspect ratio %s is a %s',
  async (format, ratio, type, size) => {
    const body = { ...image, output_format: format, aspect_ratio: ratio };
    const [file] = await filesOf('/v1/images/tasks', body, '/v1/images/tasks/');
    expect(file!.headers.get('content-type')).toBe(`image/${type}`);
    const bytes = new Uint8Array(await file!.arrayBuffer());
    expect(bytes.length).toBeLessThan(100_000);
    const { info, data } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual(size);
    const { format: decoded, hasAlpha } = await sharp(bytes).metadata();
    expect([decoded, hasAlpha]).toEqual([type, false]);
    // It shows something: neither one color, nor noise.
    expect(new Set(data).size).toBeGreaterThan(20);
  },
);

test('all formats show the same picture', async () => {
  const picture = paint('a fox', 3 / 2);
  const expected = Buffer.from(
    [...picture.pixels].flatMap((index) => picture.palette[index] ?? []),
  );
  for (const [encode, tolerance] of [
    [encodePng, 0],
    [encodeWebp, 0],
    [encodeJpeg, 4],
  ] as const) {
    const data = await sharp(encode(picture)).removeAlpha().raw().toBuffer();
    expect(data).toHaveLength(expected.length);
    const difference = data.reduce(
      (sum, value, index) => sum + Math.abs(value - expected[index]!),
      0,
    );
    expect(difference / data.length).toBeLessThanOrEqual(tolerance);
  }
});

test('pictures of one color, of one pixel and with runs of any length are valid', async () => {
  const palette = [
    [10, 20, 30],
    [200, 100, 50],
  ] as const;
  for (const length of [1, 2, 3, 4, 5, 6, 7, 9, 17, 100, 4096, 4097, 4098, 9000]) {
    const pixels = new Uint8Array(length * 2).fill(1, length - 1, length);
    const picture = { width: length, height: 2, palette, pixels };
    const expected = Buffer.from([...pixels].flatMap((index) => palette[index]!));
    for (const encode of [encodePng, encodeWebp]) {
      expect(await sharp(encode(picture)).removeAlpha().raw().toBuffer()).toEqual(expected);
    }
    const { info } = await sharp(encodeJpeg(picture)).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([length, 2]);
  }
});

test('each prompt and each idempotency key gives another image; a replay gives the same one', async () => {
  const images = await Promise.all(
    [
      ['a fox', 'key-1'],
      ['a fox', 'key-2'],
      ['a crow', 'key-3'],
      ['a fox', 'key-1'],
    ].map(async ([prompt, key]) => {
      const headers = { 'x-idempotency-key': key! };
      const response = await caller.post('/v1/images/tasks', { ...image, prompt }, headers);
      const { id } = await response.json();
      const { image_url: url } = await caller.read(`/v1/images/tasks/${id}`);
      return (await mock.fetch(url)).text();
    }),
  );
  expect(new Set(images).size).toBe(3);
  expect(images[3]).toBe(images[0]);
});

test('speech is as long as its text, at the requested speed', async () => {
  const secondsOf = async (text: string, speed?: number) => {
    const [file] = await filesOf('/v1/audio/tasks', { ...speech, text, speed }, '/v1/audio/tasks/');
    const view = new DataView(await file!.arrayBuffer());
    return view.getUint32(40, true) / view.getUint32(28, true);
  };
  const once = await secondsOf('A harbor at dawn, before the ships leave. '.repeat(3));
  expect(once).toBeCloseTo(8.4, 0);
  expect(await secondsOf('A harbor at dawn, before the ships leave. '.repeat(6))).toBeCloseTo(
    once * 2,
    0,
  );
  expect(await secondsOf('A harbor at dawn, before the ships leave. '.repeat(3), 2)).toBeCloseTo(
    once / 2,
    0,
  );
  expect(await secondsOf('Hi')).toBeCloseTo(0.5, 0);
  expect(await secondsOf('A harbor. '.repeat(10_000))).toBeCloseTo(300, 0);
});

test('music is a WAV file', async () => {
  const [file] = await filesOf('/v1/audio/tasks', music, '/v1/audio/tasks/');
  expect(file!.headers.get('content-type')).toBe('audio/wav');
  const bytes = await file!.arrayBuffer();
  const view = new DataView(bytes);
  expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('RIFF');
  expect(view.getUint32(4, true)).toBe(bytes.byteLength - 8);
  expect(view.getUint32(40, true)).toBe(bytes.byteLength - 44);
});

test('a video is an MP4 file of the requested duration', async () => {
  const [file] = await filesOf('/v1/videos', { ...video, duration: 7 }, '/v1/videos/');
  expect(file!.headers.get('content-type')).toBe('video/mp4');
  const bytes = new Uint8Array(await file!.arrayBuffer());
  const boxes = [...topBoxes(bytes)];
  expect(boxes.map(([name]) => name)).toEqual(['ftyp', 'moov', 'mdat']);
  expect(boxes.reduce((sum, [, size]) => sum + size, 0)).toBe(bytes.length);
  const header = indexOf(bytes, 'mvhd') + 16;
  const view = new DataView(bytes.buffer);
  expect(view.getUint32(header + 4) / view.getUint32(header)).toBe(7);
  const offset = view.getUint32(indexOf(bytes, 'stco') + 12);
  expect(offset).toBe(boxes[0]![1] + boxes[1]![1] + 8);
  expect(bytes[offset + 4]).toBe(0x65);
});

test.each([
  ['bytes=0-3', 206, 'bytes 0-3/N', 4],
  ['bytes=100-', 206, 'bytes 100-L/N', -100],
  ['bytes=-5', 206, 'bytes S-L/N', 5],
  ['bytes=0-99999999', 206, 'bytes 0-L/N', 0],
  ['bytes=99999999-', 200, null, 0],
  ['bytes=0-1,4-5', 200, null, 0],
  ['bytes=-', 200, null, 0],
  ['lines=1-2', 200, null, 0],
])('a request for the range %s returns status %i', async (range, status, part, size) => {
  const { id } = await caller.submit('/v1/videos', video);
  const url = `${mock.baseURL}/media/${id}/1.mp4`;
  const file = new Uint8Array(await (await mock.fetch(url)).arrayBuffer());
  const length = file.length;
  const response = await mock.fetch(url, { headers: { range } });
  const contentRange = part
    ?.replace('S', `${length - 5}`)
    .replace('L', `${length - 1}`)
    .replace('N', `${length}`);
  expect([response.status, response.headers.get('content-range')]).toEqual([
    status,
    contentRange ?? null,
  ]);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(bytes.length).toBe(size > 0 ? size : length + size);
  const first = Number(/ (\d+)-/.exec(contentRange ?? '')?.[1] ?? 0);
  expect(bytes).toEqual(file.slice(first, first + bytes.length));
});

test('the same prompt gives the same video', () => {
  expect(sampleVideo('a wave', 5)).toEqual(sampleVideo('a wave', 5));
  expect(sampleVideo('a wave', 5)).not.toEqual(sampleVideo('a storm', 5));
});

test('a file that no task generated returns 404', async () => {
  const { id } = await caller.submit('/v1/images/tasks', image);
  for (const path of [
    `/media/${id}/2.png`,
    `/media/${id}/1.svg`,
    `/media/${id}/1.mp4`,
    `/media/${id}/x`,
    '/media/a/1.png',
  ]) {
    expect((await mock.fetch(mock.baseURL + path)).status).toBe(404);
  }
});

test('text is wrapped between words, and words longer than a line are split', () => {
  expect(wrap('one two three', 7, 9)).toEqual(['one two', 'three']);
  expect(wrap('👋'.repeat(5), 3, 9)).toEqual(['👋👋👋', '👋👋']);
  expect(wrap('a b c d', 1, 2)).toEqual(['a', 'b …']);
});

test('characters that XML forbids are removed', () => {
  expect(escapeXml('a\u0000b\uD800c\u{1F44B}\uFFFE')).toBe('abc👋');
});

function* topBoxes(bytes: Uint8Array): Generator<[string, number]> {
  const view = new DataView(bytes.buffer);
  for (let offset = 0; offset < bytes.length; offset += view.getUint32(offset)) {
    yield [String.fromCharCode(...bytes.slice(offset + 4, offset + 8)), view.getUint32(offset)];
  }
}

function indexOf(bytes: Uint8Array, name: string): number {
  return String.fromCharCode(...bytes.slice(0, 2000)).indexOf(name);
}
