import { expect, test } from 'vitest';

import { escapeXml } from '../../../src/mock/escape-xml.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { sampleVideo } from '../../../src/mock/media/sample-video.ts';
import { wrap } from '../../../src/mock/media/svg.ts';
import { callerOf, image, music, video } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual', tasks: { durationMs: 0 } });
const caller = callerOf(mock);
const filesOf = async (path: string, body: object, pollPath: string): Promise<Response[]> => {
  const { id } = await caller.submit(path, body);
  const { result } = await caller.read(pollPath + id);
  return Promise.all(result.outputs.map((url: string) => mock.fetch(url)));
};

test('an image shows its prompt, and several images differ', async () => {
  const body = { ...image, prompt: 'a fox & a <crow>', n: 2 };
  const [firstFile, secondFile] = await filesOf('/v1/images/tasks', body, '/v1/images/tasks/');
  expect(firstFile!.headers.get('content-type')).toBe('image/svg+xml');
  const [first, second] = [await firstFile!.text(), await secondFile!.text()];
  expect(first).toContain('a fox &amp; a &lt;crow&gt;');
  expect(first).not.toBe(second);
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
    `/media/${id}/2.svg`,
    `/media/${id}/1.mp4`,
    `/media/${id}/x`,
    '/media/a/1.svg',
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
