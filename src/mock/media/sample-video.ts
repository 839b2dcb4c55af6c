import { videoFile as file } from './video-file.ts';

const frameCount = 48;

/** Ticks per second in the file. */
const timescale = 12_000;

/**
 * Creates an MP4 of the given duration. The same prompt and duration always produce the same file. The prompt follows the
 * frames, where no player reads it.
 */
export function sampleVideo(prompt: string, seconds: number): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(prompt);
  const bytes = new Uint8Array(file.length + text.length);
  bytes.set(Array.from(file, (byte) => byte.charCodeAt(0)));
  bytes.set(text, file.length);
  const view = new DataView(bytes.buffer);
  const duration = Math.round(seconds * timescale);
  // The durations of the movie, the track and its media, and of each frame.
  view.setUint32(file.indexOf('mvhd') + 20, duration);
  view.setUint32(file.indexOf('tkhd') + 24, duration);
  view.setUint32(file.indexOf('mdhd') + 20, duration);
  view.setUint32(file.indexOf('stts') + 16, Math.max(1, Math.floor(duration / frameCount)));
  // The size of the last box.
  const frames = file.indexOf('mdat') - 4;
  view.setUint32(frames, bytes.length - frames);
  return bytes;
}
