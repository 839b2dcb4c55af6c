import { seededRandom } from '../random.ts';
import { deltaFrame, pictureParameterSet, sequenceParameterSet, keyFrame } from './h264.ts';
import type { Macroblock } from './h264.ts';
import { writeMp4 } from './mp4.ts';

/** Size of the video in macroblocks. */
const columns = 12;
const rows = 7;
const frameCount = 24;

/**
 * Creates a playable MP4: a light moves over a gradient, and a progress bar grows from the first
 * frame to the last. The same prompt and duration always produce the same video.
 */
export function sampleVideo(prompt: string, seconds: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(prompt);
  const tint = { blue: 60 + random() * 130, red: 60 + random() * 130 };
  const path = { start: random() * columns, slope: 0.5 + random() };
  const background = Array.from({ length: columns * rows }, (_, index) =>
    gradientBlock(index, tint),
  );
  const frames = [keyFrame(background)];
  let lightIndex: number | undefined;
  for (let frame = 1; frame < frameCount; frame += 1) {
    const changes = new Map<number, Macroblock>();
    if (lightIndex !== undefined) changes.set(lightIndex, background[lightIndex] ?? white);
    const column = Math.floor(path.start + (frame * columns) / frameCount) % columns;
    const row = Math.floor(Math.abs(Math.sin((frame / frameCount) * Math.PI * path.slope)) * 5);
    lightIndex = row * columns + column;
    changes.set(lightIndex, white);
    const barEnd = Math.floor(((frame + 1) * columns) / frameCount) - 1;
    if (barEnd >= 0) changes.set((rows - 1) * columns + barEnd, white);
    frames.push(deltaFrame(frame, columns * rows, changes));
  }
  return writeMp4({
    width: columns * 16,
    height: rows * 16,
    seconds,
    sequenceParameterSet: sequenceParameterSet(columns, rows),
    pictureParameterSet: pictureParameterSet(),
    frames,
  });
}

/** Creates one block of the background: luma falls from top to bottom, chroma changes from left to right. */
function gradientBlock(index: number, tint: { blue: number; red: number }): Macroblock {
  const left = (index % columns) * 16;
  const top = Math.floor(index / columns) * 16;
  const luma = Array.from({ length: 256 }, (_, pixel) => clamp(190 - (top + (pixel >> 4)) * 1.1));
  const shift = (pixel: number): number => (left + (pixel % 8) * 2) * 0.25;
  const blue = Array.from({ length: 64 }, (_, pixel) => clamp(tint.blue + shift(pixel)));
  const red = Array.from({ length: 64 }, (_, pixel) => clamp(tint.red - shift(pixel)));
  return [...luma, ...blue, ...red];
}

const white: Macroblock = Array.from({ length: 384 }, (_, index) => (index < 256 ? 225 : 128));

/** Rounds a sample and limits it to the range of video levels. */
function clamp(value: number): number {
  return Math.max(16, Math.min(235, Math.round(value)));
}
