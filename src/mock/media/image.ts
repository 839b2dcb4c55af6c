import { encodeJpeg } from './jpeg.ts';
import { paint } from './picture.ts';
import { encodePng } from './png.ts';
import { promptSvg } from './svg.ts';
import { encodeWebp } from './webp.ts';

/** A file with its content type. */
export interface MediaFile {
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** A file format of images. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'svg';

const encoders = { png: encodePng, jpeg: encodeJpeg, webp: encodeWebp };

/** The width of an image divided by its height, unless the request determines it. */
const defaultRatio = 3 / 2;

/** What an image shows. The same description always produces the same image. */
export interface ImageDescription {
  readonly prompt: string;
  /** Distinguishes images of the same prompt. */
  readonly variant: string;
  /** A line of text below the prompt. Only SVG images contain text. */
  readonly footnote: string;
}

/** Creates an image file. Each prompt and variant has another one. */
export function imageFile(
  { prompt, variant, footnote }: ImageDescription,
  format: ImageFormat,
  ratio = defaultRatio,
): MediaFile {
  if (format === 'svg')
    return { type: 'image/svg+xml', body: promptSvg(prompt, variant, footnote) };
  return { type: `image/${format}`, body: encoders[format](paint(`${prompt} ${variant}`, ratio)) };
}

/** The format that an image request specifies: a PNG unless it names another one. SVG replaces every other format. */
export function imageFormatOf(
  { output_format: requested }: Record<string, unknown>,
  defaultFormat: 'png' | 'svg',
): ImageFormat {
  if (defaultFormat === 'svg' || typeof requested !== 'string') return defaultFormat;
  const name = requested.toLowerCase().replace(/^jpg$/, 'jpeg');
  return name === 'jpeg' || name === 'webp' ? name : 'png';
}

/** The width divided by the height that an image request specifies. */
export function imageRatioOf({ size, aspect_ratio }: Record<string, unknown>): number {
  for (const value of [aspect_ratio, size]) {
    const [, width, height] = /^(\d{1,5})[x:](\d{1,5})$/.exec(String(value)) ?? [];
    const ratio = Number(width) / Number(height);
    if (ratio > 0 && Number.isFinite(ratio)) return Math.max(1 / 8, Math.min(8, ratio));
  }
  return defaultRatio;
}
