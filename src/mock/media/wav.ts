import { seededRandom } from '../random.ts';

const sampleRate = 16_000;
const noteSeconds = 0.16;
const noteCount = 8;

/** Creates a short melody as a 16-bit mono WAV file. The same text always produces the same melody. */
export function melodyWav(text: string): Uint8Array<ArrayBuffer> {
  const random = seededRandom(text);
  const samplesPerNote = Math.floor(sampleRate * noteSeconds);
  const length = samplesPerNote * noteCount;
  const view = new DataView(new ArrayBuffer(44 + length * 2));
  writeHeader(view, length * 2);
  for (let note = 0; note < noteCount; note += 1) {
    const pitch = 220 * 2 ** (Math.floor(random() * 15) / 7);
    for (let index = 0; index < samplesPerNote; index += 1) {
      const fade = Math.min(1, index / 200) * (1 - index / samplesPerNote);
      const wave = Math.sin((2 * Math.PI * pitch * index) / sampleRate);
      view.setInt16(
        44 + (note * samplesPerNote + index) * 2,
        Math.round(wave * fade * 12_000),
        true,
      );
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
