import { seededRandom } from '../random.ts';

/** The header of a WAV file of 16 bits, one channel and 16,000 samples per second, without its lengths. */
const header = atob('UklGRgAAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=');
const sampleRate = 16_000;
const noteSeconds = 0.16;
const noteCount = 8;

/** Seconds of speech per character, at normal speed: about 900 characters a minute. */
const secondsPerCharacter = 1 / 15;

/** The longest speech file, in seconds. */
const maxSpeechSeconds = 300;

/** Creates a short melody as a 16-bit mono WAV file. The same text always produces the same melody. */
export function melodyWav(text: string): Uint8Array<ArrayBuffer> {
  return toneWav(text, { count: noteCount, seconds: noteSeconds, lowest: 220, pitches: 15 });
}

/** Creates a murmur of one tone per syllable, as long as it takes to read the text. The same text always sounds the same. */
export function speechWav(text: string, speed: number): Uint8Array<ArrayBuffer> {
  const seconds = Math.min(
    maxSpeechSeconds,
    Math.max(0.5, (Array.from(text).length * secondsPerCharacter) / speed),
  );
  const count = Math.max(1, Math.round(seconds / noteSeconds));
  return toneWav(text, { count, seconds: seconds / count, lowest: 110, pitches: 6 });
}

/**
 * Creates a row of tones of equal length. The same text always produces the same pitches.
 *
 * @param lowest - The lowest pitch, in Hz.
 * @param pitches - How many pitches there are.
 */
function toneWav(
  text: string,
  {
    count,
    seconds,
    lowest,
    pitches,
  }: { count: number; seconds: number; lowest: number; pitches: number },
): Uint8Array<ArrayBuffer> {
  const random = seededRandom(text);
  const samples = Math.floor(sampleRate * seconds);
  const dataLength = samples * count * 2;
  const bytes = new Uint8Array(header.length + dataLength);
  bytes.set(Array.from(header, (byte) => byte.charCodeAt(0)));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, bytes.length - 8, true);
  view.setUint32(header.length - 4, dataLength, true);
  for (let tone = 0; tone < count; tone += 1) {
    const pitch = lowest * 2 ** (Math.floor(random() * pitches) / 7);
    for (let index = 0; index < samples; index += 1) {
      const fade = Math.min(1, index / 200) * (1 - index / samples);
      const wave = Math.sin((2 * Math.PI * pitch * index) / sampleRate);
      const offset = header.length + (tone * samples + index) * 2;
      view.setInt16(offset, Math.round(wave * fade * 12_000), true);
    }
  }
  return bytes;
}
