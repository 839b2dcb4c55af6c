import { seededRandom } from '../random.ts';

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

/** A row of tones. */
interface Tones {
  readonly count: number;
  /** The length of each. */
  readonly seconds: number;
  /** The lowest pitch, in Hz. */
  readonly lowest: number;
  /** How many pitches there are. */
  readonly pitches: number;
}

/** Creates a row of tones. The same text always produces the same pitches. */
function toneWav(
  text: string,
  { count, seconds, lowest, pitches }: Tones,
): Uint8Array<ArrayBuffer> {
  const random = seededRandom(text);
  const samples = Math.floor(sampleRate * seconds);
  const length = samples * count;
  const view = new DataView(new ArrayBuffer(44 + length * 2));
  writeHeader(view, length * 2);
  for (let tone = 0; tone < count; tone += 1) {
    const pitch = lowest * 2 ** (Math.floor(random() * pitches) / 7);
    for (let index = 0; index < samples; index += 1) {
      const fade = Math.min(1, index / 200) * (1 - index / samples);
      const wave = Math.sin((2 * Math.PI * pitch * index) / sampleRate);
      view.setInt16(44 + (tone * samples + index) * 2, Math.round(wave * fade * 12_000), true);
    }
  }
  return new Uint8Array(view.buffer);
}

function writeHeader(view: DataView<ArrayBuffer>, dataLength: number): void {
  writeAscii(view, 0, 'RIFF');
  view.setUint32(4, 36 + dataLength, true);
  writeAscii(view, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeAscii(view, 36, 'data');
  view.setUint32(40, dataLength, true);
}

function writeAscii(view: DataView<ArrayBuffer>, offset: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    view.setUint8(offset + index, text.charCodeAt(index));
  }
}
