/** H.264 frames in display order, with their parameter sets. */
export interface EncodedVideo {
  width: number;
  height: number;
  seconds: number;
  sequenceParameterSet: readonly number[];
  pictureParameterSet: readonly number[];
  frames: readonly (readonly number[])[];
}

const timescale = 12_000;

/** Fixed-point identity matrix: no rotation, no scaling. */
const identityMatrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap(uint32);

/** Creates an MP4 file. Its index comes first, so that players can start before the download ends. */
export function writeMp4(video: EncodedVideo): Uint8Array<ArrayBuffer> {
  const samples = video.frames.map((frame) => [...uint32(frame.length), ...frame]);
  const fileType = box('ftyp', ascii('isom'), uint32(0x200), ascii('isomiso2avc1mp41'));
  const sizes = samples.map((sample) => sample.length);
  const offset = fileType.length + movieBox(video, sizes, 0).length + 8;
  return Uint8Array.from([
    ...fileType,
    ...movieBox(video, sizes, offset),
    ...box('mdat', samples.flat()),
  ]);
}

function movieBox(video: EncodedVideo, sizes: number[], offset: number): number[] {
  const duration = Math.round(video.seconds * timescale);
  const size = [...uint32(video.width << 16), ...uint32(video.height << 16)];
  return box(
    'moov',
    fullBox(
      'mvhd',
      0,
      zeros(8),
      uint32(timescale),
      uint32(duration),
      uint32(0x10000),
      [1, 0],
      zeros(10),
      identityMatrix,
      zeros(24),
      uint32(2),
    ),
    box(
      'trak',
      fullBox(
        'tkhd',
        3,
        zeros(8),
        uint32(1),
        zeros(4),
        uint32(duration),
        zeros(16),
        identityMatrix,
        size,
      ),
      box(
        'mdia',
        fullBox('mdhd', 0, zeros(8), uint32(timescale), uint32(duration), uint16(0x55c4), zeros(2)),
        fullBox('hdlr', 0, zeros(4), ascii('vide'), zeros(12), ascii('video'), [0]),
        box(
          'minf',
          fullBox('vmhd', 1, zeros(8)),
          box('dinf', fullBox('dref', 0, uint32(1), fullBox('url ', 1))),
          sampleTable(video, sizes, offset, duration),
        ),
      ),
    ),
  );
}

function sampleTable(
  video: EncodedVideo,
  sizes: number[],
  offset: number,
  duration: number,
): number[] {
  const count = sizes.length;
  const frameDuration = Math.max(1, Math.floor(duration / count));
  return box(
    'stbl',
    fullBox('stsd', 0, uint32(1), avcSampleEntry(video)),
    fullBox('stts', 0, uint32(1), uint32(count), uint32(frameDuration)),
    fullBox('stss', 0, uint32(1), uint32(1)),
    fullBox('stsc', 0, uint32(1), uint32(1), uint32(count), uint32(1)),
    fullBox('stsz', 0, uint32(0), uint32(count), sizes.flatMap(uint32)),
    fullBox('stco', 0, uint32(1), uint32(offset)),
  );
}

function avcSampleEntry({
  width,
  height,
  sequenceParameterSet: sps,
  pictureParameterSet: pps,
}: EncodedVideo): number[] {
  const resolution = [...uint32(0x480000), ...uint32(0x480000)];
  const format = [...zeros(4), ...uint16(1), ...zeros(32), ...uint16(24), ...uint16(0xffff)];
  const parameterSets = [1, ...sps.slice(1, 4), 0xff, 0xe1, ...uint16(sps.length), ...sps];
  return box(
    'avc1',
    [...zeros(6), ...uint16(1), ...zeros(16), ...uint16(width), ...uint16(height)],
    [...resolution, ...format],
    box('avcC', parameterSets, [1], uint16(pps.length), pps),
  );
}

function box(name: string, ...parts: (readonly number[])[]): number[] {
  const content = parts.flat();
  return [...uint32(content.length + 8), ...ascii(name), ...content];
}

/** Creates a full box: version 0 and flags. */
function fullBox(name: string, flags: number, ...parts: (readonly number[])[]): number[] {
  return box(name, uint32(flags), ...parts);
}

function uint32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function uint16(value: number): number[] {
  return [(value >>> 8) & 255, value & 255];
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
