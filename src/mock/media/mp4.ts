/** A film: its pictures in order, and how they are coded. */
export interface EncodedVideo {
  width: number;
  height: number;
  seconds: number;
  sequenceParameters: readonly number[];
  pictureParameters: readonly number[];
  frames: readonly (readonly number[])[];
}

const timescale = 12_000;

/** Fixed-point numbers: no rotation, no scaling. */
const upright = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap(long);

/**
 * The film as an MP4 file, its index first, so that a player can start before it has everything.
 */
export function writeMp4(film: EncodedVideo): Uint8Array<ArrayBuffer> {
  const samples = film.frames.map((picture) => [...long(picture.length), ...picture]);
  const type = box('ftyp', letters('isom'), long(0x200), letters('isomiso2avc1mp41'));
  const sizes = samples.map((sample) => sample.length);
  const offset = type.length + index(film, sizes, 0).length + 8;
  return Uint8Array.from([...type, ...index(film, sizes, offset), ...box('mdat', samples.flat())]);
}

function index(film: EncodedVideo, sizes: number[], offset: number): number[] {
  const duration = Math.round(film.seconds * timescale);
  const size = [...long(film.width << 16), ...long(film.height << 16)];
  return box(
    'moov',
    full(
      'mvhd',
      0,
      zeros(8),
      long(timescale),
      long(duration),
      long(0x10000),
      [1, 0],
      zeros(10),
      upright,
      zeros(24),
      long(2),
    ),
    box(
      'trak',
      full('tkhd', 3, zeros(8), long(1), zeros(4), long(duration), zeros(16), upright, size),
      box(
        'mdia',
        full('mdhd', 0, zeros(8), long(timescale), long(duration), short(0x55c4), zeros(2)),
        full('hdlr', 0, zeros(4), letters('vide'), zeros(12), letters('video'), [0]),
        box(
          'minf',
          full('vmhd', 1, zeros(8)),
          box('dinf', full('dref', 0, long(1), full('url ', 1))),
          sampleTable(film, sizes, offset, duration),
        ),
      ),
    ),
  );
}

function sampleTable(
  film: EncodedVideo,
  sizes: number[],
  offset: number,
  duration: number,
): number[] {
  const count = sizes.length;
  const each = Math.max(1, Math.floor(duration / count));
  return box(
    'stbl',
    full('stsd', 0, long(1), codec(film)),
    full('stts', 0, long(1), long(count), long(each)),
    full('stss', 0, long(1), long(1)),
    full('stsc', 0, long(1), long(1), long(count), long(1)),
    full('stsz', 0, long(0), long(count), sizes.flatMap(long)),
    full('stco', 0, long(1), long(offset)),
  );
}

function codec({
  width,
  height,
  sequenceParameters: sps,
  pictureParameters: pps,
}: EncodedVideo): number[] {
  const resolution = [...long(0x480000), ...long(0x480000)];
  const look = [...zeros(4), ...short(1), ...zeros(32), ...short(24), ...short(0xffff)];
  const setUp = [1, ...sps.slice(1, 4), 0xff, 0xe1, ...short(sps.length), ...sps];
  return box(
    'avc1',
    [...zeros(6), ...short(1), ...zeros(16), ...short(width), ...short(height)],
    [...resolution, ...look],
    box('avcC', setUp, [1], short(pps.length), pps),
  );
}

function box(name: string, ...parts: (readonly number[])[]): number[] {
  const content = parts.flat();
  return [...long(content.length + 8), ...letters(name), ...content];
}

/** A box with a version, which is 0, and flags. */
function full(name: string, flags: number, ...parts: (readonly number[])[]): number[] {
  return box(name, long(flags), ...parts);
}

function long(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function short(value: number): number[] {
  return [(value >>> 8) & 255, value & 255];
}

function letters(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
