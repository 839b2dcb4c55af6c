import { deltaFrame, pictureParameters, sequenceParameters, keyFrame } from './h264.ts';
import type { Macroblock } from './h264.ts';
import { writeMp4 } from './mp4.ts';
import { seededRandom } from '../random.ts';

const columns = 12;
const rows = 7;
const pictures = 24;

/**
 * A film that players and browsers can play: a gradient, a light that wanders over it, and a bar
 * that grows from the first picture to the last. The same words give the same film.
 */
export function sampleVideo(words: string, seconds: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(words);
  const tint = { blue: 60 + random() * 130, red: 60 + random() * 130 };
  const path = { start: random() * columns, slope: 0.5 + random() };
  const sky = Array.from({ length: columns * rows }, (_, place) => skyBlock(place, tint));
  const coded = [keyFrame(sky)];
  let lit: number | undefined;
  for (let number = 1; number < pictures; number += 1) {
    const changes = new Map<number, Macroblock>();
    if (lit !== undefined) changes.set(lit, sky[lit] ?? light);
    const column = Math.floor(path.start + (number * columns) / pictures) % columns;
    const row = Math.floor(Math.abs(Math.sin((number / pictures) * Math.PI * path.slope)) * 5);
    lit = row * columns + column;
    changes.set(lit, light);
    const grown = Math.floor(((number + 1) * columns) / pictures) - 1;
    if (grown >= 0) changes.set((rows - 1) * columns + grown, light);
    coded.push(deltaFrame(number, columns * rows, changes));
  }
  return writeMp4({
    width: columns * 16,
    height: rows * 16,
    seconds,
    sequenceParameters: sequenceParameters(columns, rows),
    pictureParameters: pictureParameters(),
    frames: coded,
  });
}

/**
 * Brightness falls from the top to the bottom, pixel by pixel; the colours turn from left to right.
 */
function skyBlock(place: number, tint: { blue: number; red: number }): Macroblock {
  const left = (place % columns) * 16;
  const top = Math.floor(place / columns) * 16;
  const bright = Array.from({ length: 256 }, (_, at) => sample(190 - (top + (at >> 4)) * 1.1));
  const turn = (at: number): number => (left + (at % 8) * 2) * 0.25;
  const blue = Array.from({ length: 64 }, (_, at) => sample(tint.blue + turn(at)));
  const red = Array.from({ length: 64 }, (_, at) => sample(tint.red - turn(at)));
  return [...bright, ...blue, ...red];
}

const light: Macroblock = Array.from({ length: 384 }, (_, at) => (at < 256 ? 225 : 128));

function sample(value: number): number {
  return Math.max(16, Math.min(235, Math.round(value)));
}
