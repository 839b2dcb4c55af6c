import { BitWriter } from './bit-writer.ts';

/** 16 × 16 pixels: 256 luma samples, then 64 samples of each chroma component. */
export type Macroblock = readonly number[];

/** Sequence parameter set: baseline profile, one reference frame, size in macroblocks. */
export function sequenceParameterSet(columns: number, rows: number): number[] {
  const writer = new BitWriter().bits(66, 8).bits(0xc0, 8).bits(30, 8);
  writer.unsigned(0).unsigned(0).unsigned(2).unsigned(1).bits(0, 1);
  writer.unsigned(columns - 1).unsigned(rows - 1);
  return nalUnit(0x67, writer.bits(0b1100, 4).close());
}

/** Picture parameter set: CAVLC; slices can disable the deblocking filter. */
export function pictureParameterSet(): number[] {
  const writer = new BitWriter().unsigned(0).unsigned(0).bits(0, 2).unsigned(0);
  writer.unsigned(0).unsigned(0).bits(0, 3);
  // Three signed zeros, which are encoded like unsigned ones.
  writer.unsigned(0).unsigned(0).unsigned(0);
  return nalUnit(0x68, writer.bits(0b100, 3).close());
}

/** The first frame: all macroblocks, uncompressed (I_PCM). */
export function keyFrame(macroblocks: readonly Macroblock[]): number[] {
  const writer = new BitWriter().unsigned(0).unsigned(7).unsigned(0).bits(0, 4).unsigned(0);
  writer.bits(0, 2).unsigned(0).unsigned(1);
  for (const block of macroblocks) writer.unsigned(25).align().raw(block);
  return nalUnit(0x65, writer.close());
}

/** A later frame: the macroblocks that change, by index. All others are skipped. */
export function deltaFrame(
  frameNumber: number,
  macroblockCount: number,
  changes: ReadonlyMap<number, Macroblock>,
): number[] {
  const writer = new BitWriter()
    .unsigned(0)
    .unsigned(5)
    .unsigned(0)
    .bits(frameNumber % 16, 4);
  writer.bits(0, 3).unsigned(0).unsigned(1);
  let next = 0;
  for (const [index, block] of [...changes].toSorted(([a], [b]) => a - b)) {
    writer
      .unsigned(index - next)
      .unsigned(30)
      .align()
      .raw(block);
    next = index + 1;
  }
  if (next < macroblockCount) writer.unsigned(macroblockCount - next);
  return nalUnit(0x61, writer.close());
}

/** A NAL unit. Emulation prevention bytes break up sequences that look like a start code. */
function nalUnit(header: number, payload: readonly number[]): number[] {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes;
}
