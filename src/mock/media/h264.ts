import { BitWriter } from './bit-writer.ts';

/** A square of 16 by 16 pixels: 256 samples of brightness, then 64 of each colour difference. */
export type Macroblock = readonly number[];

/** Sequence parameters: baseline profile, one reference picture, size in blocks. */
export function sequenceParameters(columns: number, rows: number): number[] {
  const writer = new BitWriter().bits(66, 8).bits(0xc0, 8).bits(30, 8);
  writer.unsigned(0).unsigned(0).unsigned(2).unsigned(1).bits(0, 1);
  writer.unsigned(columns - 1).unsigned(rows - 1);
  return unit(0x67, writer.bits(0b1100, 4).close());
}

/**
 * Picture parameters: plain variable-length coding, and slices may turn the smoothing filter off.
 */
export function pictureParameters(): number[] {
  const writer = new BitWriter().unsigned(0).unsigned(0).bits(0, 2).unsigned(0);
  writer.unsigned(0).unsigned(0).bits(0, 3);
  // Three signed numbers of value 0, which read the same as unsigned ones.
  writer.unsigned(0).unsigned(0).unsigned(0);
  return unit(0x68, writer.bits(0b100, 3).close());
}

/** The first picture: every block as it is, without compression. */
export function keyFrame(blocks: readonly Macroblock[]): number[] {
  const writer = new BitWriter().unsigned(0).unsigned(7).unsigned(0).bits(0, 4).unsigned(0);
  writer.bits(0, 2).unsigned(0).unsigned(1);
  for (const block of blocks) writer.unsigned(25).align().raw(block);
  return unit(0x65, writer.close());
}

/** A later picture: the blocks that change, by their place; all others stay. */
export function deltaFrame(
  number: number,
  count: number,
  changes: ReadonlyMap<number, Macroblock>,
): number[] {
  const writer = new BitWriter()
    .unsigned(0)
    .unsigned(5)
    .unsigned(0)
    .bits(number % 16, 4);
  writer.bits(0, 3).unsigned(0).unsigned(1);
  let next = 0;
  for (const [place, block] of [...changes].toSorted(([one], [other]) => one - other)) {
    writer
      .unsigned(place - next)
      .unsigned(30)
      .align()
      .raw(block);
    next = place + 1;
  }
  if (next < count) writer.unsigned(count - next);
  return unit(0x61, writer.close());
}

/** Bytes that could be taken for the start of a unit are broken up. */
function unit(header: number, payload: readonly number[]): number[] {
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
