import { seededRandom } from '../random.ts';

const sampleRate = 16_000;
const noteSeconds = 0.16;
const notes = 8;

/** A short tune as a WAV file, 16 bit, mono; the same words give the same tune. */
export function melodyWav(words: string): Uint8Array<ArrayBuffer> {
  const random = seededRandom(words);
  const perNote = Math.floor(sampleRate * noteSeconds);
  const length = perNote * notes;
  const view = new DataView(new ArrayBuffer(44 + length * 2));
  writeHeader(view, length * 2);
  for (let note = 0; note < notes; note += 1) {
    const pitch = 220 * 2 ** (Math.floor(random() * 15) / 7);
    for (let index = 0; index < perNote; index += 1) {
      const fade = Math.min(1, index / 200) * (1 - index / perNote);
      const wave = Math.sin((2 * Math.PI * pitch * index) / sampleRate);
      view.setInt16(44 + (note * perNote + index) * 2, Math.round(wave * fade * 12_000), true);
    }
  }
  return new Uint8Array(view.buffer);
}

function writeHeader(view: DataView<ArrayBuffer>, dataLength: number): void {
  writeText(view, 0, 'RIFF');
  view.setUint32(4, 36 + dataLength, true);
  writeText(view, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeText(view, 36, 'data');
  view.setUint32(40, dataLength, true);
}

function writeText(view: DataView<ArrayBuffer>, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    view.setUint8(at + index, text.charCodeAt(index));
  }
}
